// One check, one line: `ok` or `FAIL` with its title and time, and why.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export const counts = { passed: 0, failed: 0 };

const LAST_LINES = 40;

/** Runs `action`; what it throws is a failure. Returns whether there was none. */
export async function check(title, action) {
  const began = performance.now();
  let failure;
  try {
    await action();
  } catch (error) {
    failure = error;
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  counts[failure === undefined ? 'passed' : 'failed']++;
  console.log(`${failure === undefined ? 'ok  ' : 'FAIL'} ${title} (${seconds} s)`);
  if (failure !== undefined) console.log(String(failure.message).split('\n').slice(-LAST_LINES).join('\n'));
  return failure === undefined;
}

/** Runs a command and returns what it wrote. It gets no `OTEL_*` variables but those of `env`. Throws if it fails. */
export async function command(file, args, { cwd, env = {} }) {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('OTEL_'));
  const child = spawn(file, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`exit code ${code}\n${stdout}\n${stderr}`.trim());
  return { stdout, stderr };
}

/** A check that a command ends well. */
export const run = (title, file, args, options) => check(title, () => command(file, args, options));
