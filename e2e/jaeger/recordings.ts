import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOP } from '../run-command.js';

const FOLDER = 'conformance/recordings';

export interface Recording {
  /** Such as `0.22.2/c-parallel-tools`. */
  readonly name: string;
  /** From the top of the repository. */
  readonly path: string;
  readonly capture: 'none' | 'redacted' | 'full';
}

/** One of each kind: what the short run sends beside the recordings of `demo`. */
const SHORT = [
  '0.19.0/k-delegate-one-child-sync',
  '0.20.1/l-delegate-batch-one-fails-sync',
  '0.22.2/e-tool-errors',
  '0.22.2/g-retries-exhausted-500',
  '0.22.2/h-provider-fallback',
  '0.22.2/i6-unicode',
  '0.22.2/j4-interrupt-during-api-call-tui',
  '0.22.2/m-background-delegation-one-child-tui',
  '0.22.2/m5-quit-while-background-child-runs-cli',
  '0.22.2/o-execute-code-nested-tools',
  '0.22.2/p7-smart-approval-escalated-tui',
  '0.22.2/q-two-turns-then-close-and-new',
  '0.22.2/s-background-review-tui',
  '0.22.2/t-two-concurrent-agents-threads',
];

const CAPTURES = ['none', 'redacted', 'full'] as const;

/** All recordings, or one of each kind. Every third is sent with all content, every third with redacted content. */
export function recordings(isFull: boolean): Recording[] {
  const demo = new Set(demoPaths().map((path) => readFileSync(join(TOP, path), 'utf8')));
  const names = readdirSync(join(TOP, FOLDER), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => name.slice(0, -'.ndjson'.length))
    .sort();
  return names
    .map((name, i): Recording => {
      const path = `${FOLDER}/${name}.ndjson`;
      // `demo` sends its recordings without content: sent with it, the same spans would be there in two shapes.
      const capture = demo.has(readFileSync(join(TOP, path), 'utf8')) ? 'none' : (CAPTURES[i % 3] ?? 'none');
      return { name, path, capture };
    })
    .filter(({ name }) => isFull || SHORT.includes(name));
}

const DEMO = 'packages/cli/demo';

export const demoPaths = () => readdirSync(join(TOP, DEMO)).map((name) => `${DEMO}/${name}`);
