import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../run-command.js';
import type { OtlpTraces } from './otlp-json.js';
import { type SpanFacts, spanFacts } from './span-facts.js';

const COMMAND = 'packages/cli/bin/hermes-observer.js';

/**
 * Runs the command with `--endpoint`, and with `--otlp-file` in the same run. Returns the spans of the file.
 * @throws Error when it ends with another exit code than 0.
 */
export async function sendSpans(args: readonly string[], endpoint: string): Promise<SpanFacts[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sent-'));
  try {
    const file = join(folder, 'spans.jsonl');
    const { code, stderr } = await runNode([COMMAND, ...args, '--otlp-file', file, '--endpoint', endpoint]);
    if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}\n${stderr}`);
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.filter((line) => line !== '').flatMap((line) => spanFacts(JSON.parse(line) as OtlpTraces));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const traceIdsOf = (spans: readonly SpanFacts[]): string[] => [...new Set(spans.map(({ traceId }) => traceId))];
