import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { OtlpTraces } from '../jaeger/otlp-json.js';
import { type SpanFacts, spanFacts } from '../jaeger/span-facts.js';
import { waitFor } from '../jaeger/wait-for.js';
import { runCommand, TOP } from '../run-command.js';

const COMMAND = join(TOP, 'packages/cli/bin/hermes-observer.js');

/** `hermes-observer serve` with a policy, as a user starts it, and the commands that answer its questions. */
export class Serve {
  readonly shared = mkdtempSync(join(tmpdir(), 'pol-'));
  readonly #env: Record<string, string>;
  #child: ChildProcess | undefined;
  #log = '';

  constructor(policyText: string) {
    mkdirSync(join(this.shared, 'run'), { mode: 0o700 });
    const policy = join(this.shared, 'policy.yaml');
    writeFileSync(policy, policyText, { mode: 0o600 });
    this.#env = {
      HERMES_OBSERVER_DATA: join(this.shared, 'data'),
      HERMES_OBSERVER_SOCKET: join(this.shared, 'run/observer.sock'),
      HERMES_OBSERVER_HTTP_PORT: '0',
      HERMES_OBSERVER_POLICY_FILE: policy,
      HERMES_OBSERVER_PRODUCER_GRACE: '1s',
    };
  }

  get socket(): string {
    return join(this.shared, 'run/observer.sock');
  }

  get data(): string {
    return join(this.shared, 'data');
  }

  start(): void {
    const args = [COMMAND, 'serve', '--otlp-file', join(this.shared, 'spans.jsonl')];
    this.#child = spawn(process.execPath, args, {
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text;
      });
    }
  }

  /** As a crash ends it: at once, whatever it was doing. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async #command(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return runCommand(process.execPath, [COMMAND, 'policy', ...args], { env: this.#env }) as never;
  }

  /** The one request that waits, once there is one. */
  async waiting(): Promise<{ id: string; digest: string }> {
    return waitFor(
      'nobody is asked',
      async () => {
        const { stdout } = await this.#command('pending', '--json');
        return (JSON.parse(stdout) as { pending: { id: string; digest: string }[] }).pending[0];
      },
      60_000,
    );
  }

  async approve({ id, digest }: { id: string; digest: string }): Promise<void> {
    const { code, stdout, stderr } = await this.#command('approve', id, '--digest', digest);
    expect(code, stdout + stderr + this.#log.slice(-2000)).toBe(0);
  }

  spans(): SpanFacts[] {
    const path = join(this.shared, 'spans.jsonl');
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    const all = lines.flatMap((line) => spanFacts(JSON.parse(line) as OtlpTraces));
    return all.sort((a, b) => (a.start < b.start ? -1 : 1));
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.shared, { recursive: true, force: true });
  }
}
