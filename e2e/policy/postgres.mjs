import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('postgres-server.mjs', import.meta.url));

/** A real PostgreSQL: `{ url, stop }`, or `{ skip }` with why there is none. It is installed where that is possible. */
export async function startPostgres() {
  const child = spawn(process.execPath, [script, '--install'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { value = '{"skip":"its script ended"}' } = await createInterface({ input: child.stdout })
    [Symbol.asyncIterator]()
    .next();
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const stop = () => {
    child.stdin.end();
    return gone;
  };
  return { ...JSON.parse(value), stop };
}
