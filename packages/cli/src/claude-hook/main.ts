import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDataFolder, defaultSocket } from '../config/places.js';
import { ask, UnreachableError } from './ask.js';
import { handOver, leave } from './hand-over.js';
import { decisionRecord, type HookCapture, type HookEvent, questionOf, recordsOf } from './hook-event.js';
import { policySettings } from './policy-settings.js';
import { resultOutput, unscreened } from './result-verdict.js';
import { failed, type HookVerdict, verdictOf } from './verdict.js';

// `hermes-observer hook claude-code [--socket PATH] [--data FOLDER] [--capture MODE]`: one event of Claude Code on standard
// input. Writes nothing and ends with 0, whatever happens: any other output would be taken as a decision on the event.
// With `--policy` it decides: a call that is about to run is put to the service, and whatever goes wrong is a refusal, unless
// it was set otherwise. Built as one CommonJS file (`scripts/bundle.mjs`), since it starts for each event and that starts soonest.

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
const policy = policySettings(process.argv);

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
  clearTimeout(silence);
  if (typeof event !== 'object' || event === null) throw new TypeError('no event');
  const asked = given('--capture', 'HERMES_OBSERVER_CAPTURE') ?? '';
  const capture = CAPTURES.includes(asked) ? (asked as HookCapture) : 'none';
  // When this process was started, which is nearest to the event.
  const time = Math.round(performance.timeOrigin * MICROS);
  const records = recordsOf(event as HookEvent, time, capture, process.env.TRACEPARENT || undefined);
  const data = given('--data', 'HERMES_OBSERVER_DATA') ?? defaultDataFolder(process.env);
  const socket = given('--socket', 'HERMES_OBSERVER_SOCKET') ?? defaultSocket(process.env, data);
  const spool = join(data, 'forwarder');
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const question = policy === undefined ? undefined : questionOf(event as HookEvent);
  if (policy === undefined || question === undefined) {
    if (records.length > 0) await handOver(lines, records.length, socket, spool);
    return;
  }
  const isResult = question.hook !== 'pre_tool_call';
  let verdict: HookVerdict;
  let left = '';
  try {
    const answer = await ask(socket, lines, question.hook, question.payload, policy.millis - performance.now());
    verdict = isResult
      ? { output: resultOutput(answer, question.payload, policy) }
      : verdictOf(answer, question.payload.args, policy);
  } catch (error) {
    verdict = isResult ? { output: unscreened(error, question.payload, policy) } : failed(error, policy);
    // Who was not there has not got the records either.
    if (error instanceof UnreachableError && !error.hasRecords) left = lines;
  }
  const own =
    verdict.own === undefined
      ? ''
      : `${JSON.stringify(decisionRecord(question.payload, verdict.own, policy.unreachable))}\n`;
  await say(verdict.output);
  if (left + own !== '') leave(left + own, (left === '' ? 0 : records.length) + (own === '' ? 0 : 1), spool);
}

/** Waits until Claude Code has it: a refusal that is lost would let the call run. */
function say(output: string): Promise<void> {
  if (output === '') return Promise.resolve();
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(output, () => resolve());
  });
}

/** Of a guard that failed Claude Code takes no code but 2 for a refusal. */
function refuse(): never {
  try {
    writeSync(
      2,
      'Blocked by policy (hook_error): the hook of policy failed. This is a fault of the setup and not a decision about the call.\n',
    );
  } catch {
    // Nobody reads it.
  }
  process.exit(2);
}

const end = () => process.exit(0);
const fail = policy === undefined ? end : refuse;
const silence = setTimeout(fail, PATIENCE_MILLIS);
setTimeout(fail, policy === undefined ? MOST_MILLIS : policy.millis + MOST_MILLIS);
// Not JSON, or no standard input: the same end.
main().then(end, fail);
