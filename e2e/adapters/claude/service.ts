import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OtlpTraces } from '../../jaeger/otlp-json.js';
import { type SpanFacts, spanFacts } from '../../jaeger/span-facts.js';
import { waitFor } from '../../jaeger/wait-for.js';
import { TOP } from '../../run-command.js';

export const COMMAND = join(TOP, 'packages/cli/bin/hermes-observer.js');

/** `hermes-observer serve` that writes its spans to a file. */
export class Service {
  readonly folder = mkdtempSync(join(tmpdir(), 'cc-'));
  readonly data = join(this.folder, 'data');
  readonly socket = join(this.folder, 'run/observer.sock');
  readonly #file = join(this.folder, 'spans.jsonl');
  #child: ChildProcess | undefined;

  /** Variables by which hooks and the service find each other. */
  get env(): Record<string, string> {
    return { HERMES_OBSERVER_DATA: this.data, HERMES_OBSERVER_SOCKET: this.socket };
  }

  /** @param more variables */
  async start(more: Record<string, string> = {}): Promise<void> {
    mkdirSync(join(this.folder, 'run'), { mode: 0o700 });
    const env = { ...process.env, ...this.env, HERMES_OBSERVER_HTTP_PORT: '0', ...more };
    this.#child = spawn(process.execPath, [COMMAND, 'serve', '--otlp-file', this.#file], { env, stdio: 'ignore' });
    await waitFor('serve is not there', async () => (existsSync(this.socket) ? true : undefined));
  }

  /** Ends it in peace: what is open ends, too. Gives its spans. */
  async stop(): Promise<SpanFacts[]> {
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined) {
      const closed = once(child, 'exit');
      child.kill('SIGTERM');
      await closed;
    }
    if (!existsSync(this.#file)) return [];
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => spanFacts(JSON.parse(line) as OtlpTraces));
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Spans as indented lines, with how each ended. */
export function treeOf(spans: readonly SpanFacts[], parent?: string, depth = 0): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const told = ({ attributes }: SpanFacts) =>
    ['hermes.turn.outcome', 'hermes.subagent.status', 'hermes.tool.status', 'hermes.incomplete']
      .map((key) => (key === 'hermes.incomplete' && attributes[key] !== undefined ? 'incomplete' : attributes[key]))
      .filter((value) => value !== undefined)
      .map((value) => value.replaceAll('"', ''));
  return spans
    .filter(({ parentSpanId }) => (ids.has(parentSpanId) ? parentSpanId : undefined) === parent)
    .sort((a, b) => (a.start < b.start ? -1 : 1))
    .flatMap((span) => [
      `${'  '.repeat(depth)}${span.name}: ${told(span).join(' ')}${span.status.startsWith('2') ? ' ERROR' : ''}`,
      ...treeOf(spans, span.spanId, depth + 1),
    ]);
}
