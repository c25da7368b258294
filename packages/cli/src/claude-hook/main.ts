import { fstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDataFolder, defaultSocket } from '../config/places.js';
import { handOver } from './hand-over.js';
import { type HookCapture, type HookEvent, recordsOf } from './hook-event.js';

// `hermes-observer hook claude-code [--socket PATH] [--data FOLDER] [--capture MODE]`: one event of Claude Code on standard
// input. Writes nothing and ends with 0, whatever happens: any other output would be taken as a decision on the event.

const MICROS = 1000;
/** An event is there when the hook starts; one that is not is not waited for. */
const PATIENCE_MILLIS = 2_000;

/** A flag, else a variable. */
function given(flag: string, variable: string): string | undefined {
  const at = process.argv.indexOf(flag);
  return (at > 0 ? process.argv[at + 1] : process.env[variable]) || undefined;
}

const CAPTURES: readonly string[] = ['redacted', 'full'] satisfies HookCapture[];

/** A file can be read at once; what may have no end yet is read so that the time limit holds. */
async function standardInput(): Promise<string> {
  if (fstatSync(0).isFile()) return readFileSync(0, 'utf8');
  const { text } = await import('node:stream/consumers');
  return text(process.stdin);
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
  await handOver(lines, socket, join(data, 'forwarder'));
}

setTimeout(() => process.exit(0), PATIENCE_MILLIS);
try {
  await main();
} catch {
  // Not JSON, or no standard input.
}
process.exit(0);
