import { fstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDataFolder, defaultSocket } from '../config/places.js';
import { handOver } from './hand-over.js';
import { type HookCapture, type HookEvent, recordsOf } from './hook-event.js';

// `hermes-observer hook claude-code [--socket PATH] [--data FOLDER] [--capture MODE]`: one event of Claude Code on standard
// input. Writes nothing and ends with 0, whatever happens: any other output would be taken as a decision on the event.
// Built as one CommonJS file (`scripts/bundle.mjs`), since it starts for each event and that starts soonest.

const MICROS = 1000;
/** An event is there when the hook starts; one that is not, or does not come on, is not waited for. */
const PATIENCE_MILLIS = 2_000;
/** Less than Claude Code gives a hook. */
const MOST_MILLIS = 4_500;

/** A flag, else a variable. */
function given(flag: string, variable: string): string | undefined {
  const at = process.argv.indexOf(flag);
  return (at > 0 ? process.argv[at + 1] : process.env[variable]) || undefined;
}

const CAPTURES: readonly string[] = ['redacted', 'full'] satisfies HookCapture[];

/** A file can be read at once; what may have no end yet is read so that the time limit holds. */
function standardInput(): Promise<string> {
  if (fstatSync(0).isFile()) return Promise.resolve(readFileSync(0, 'utf8'));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    process.stdin.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      silence.refresh();
    });
    process.stdin.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    process.stdin.on('error', reject);
  });
}

async function main(): Promise<void> {
  const event: unknown = JSON.parse(await standardInput());
  if (typeof event !== 'object' || event === null) return;
  const asked = given('--capture', 'HERMES_OBSERVER_CAPTURE') ?? '';
  const capture = CAPTURES.includes(asked) ? (asked as HookCapture) : 'none';
  // When this process was started, which is nearest to the event.
  const time = Math.round(performance.timeOrigin * MICROS);
  const records = recordsOf(event as HookEvent, time, capture, process.env.TRACEPARENT || undefined);
  if (records.length === 0) return;
  const data = given('--data', 'HERMES_OBSERVER_DATA') ?? defaultDataFolder(process.env);
  const socket = given('--socket', 'HERMES_OBSERVER_SOCKET') ?? defaultSocket(process.env, data);
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  await handOver(lines, records.length, socket, join(data, 'forwarder'));
}

const end = () => process.exit(0);
const silence = setTimeout(end, PATIENCE_MILLIS);
setTimeout(end, MOST_MILLIS);
// Not JSON, or no standard input: the same end.
main().then(end, end);
