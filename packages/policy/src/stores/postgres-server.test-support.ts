import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../../../e2e/policy/postgres-server.mjs', import.meta.url));

export interface PostgresServer {
  readonly url: string;
  /** Ends it as a crash would, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A real server in a process of its own; a text says why there is none. */
export async function startPostgres(): Promise<PostgresServer | string> {
  const child = spawn(process.execPath, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? '{}') as { url?: string; skip?: string };
  const { url, skip } = await next();
  if (url === undefined) return skip ?? 'its script ended';
  return {
    url,
    async restart() {
      child.stdin.write('restart\n');
      await next();
    },
    async stop() {
      child.stdin.end();
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}
