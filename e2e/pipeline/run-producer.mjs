import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('producer.mjs', import.meta.url));

const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a producer. `result` resolves to what it says, or rejects when it ends without a word; `kill()` ends it at once.
 * @param {Record<string, unknown>} options as in producer.mjs
 */
export function startProducer(options) {
  const args = ['--expose-gc', script, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  running.add(child);
  ended.then(() => running.delete(child));
  const result = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    ended.then((code) => reject(new Error(`the producer ended with ${code}`)));
  });
  result.catch(() => {});
  return {
    result,
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export async function runProducer(options) {
  const { result, ended } = startProducer(options);
  const said = await result;
  await ended;
  return said;
}
