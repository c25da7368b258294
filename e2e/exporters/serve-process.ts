import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../jaeger/free-ports.js';
import { waitFor } from '../jaeger/wait-for.js';
import { TOP } from '../run-command.js';

const COMMAND = join(TOP, 'packages/cli/bin/hermes-observer.js');
const TOKEN = 'a-token-of-this-test-alone';

/** `hermes-observer serve` with a data folder of its own, which may be killed and started again. */
export class ServeProcess {
  readonly #folder = mkdtempSync(join(tmpdir(), 'srv-'));
  readonly #env: Record<string, string>;
  readonly #url: string;
  #child: ChildProcess | undefined;
  log = '';

  private constructor(env: Readonly<Record<string, string>>, port: string) {
    this.#url = `http://127.0.0.1:${port}`;
    this.#env = {
      HERMES_OBSERVER_DATA: join(this.#folder, 'data'),
      HERMES_OBSERVER_SOCKET: join(this.#folder, 's.sock'),
      HERMES_OBSERVER_HTTP_PORT: port,
      HERMES_OBSERVER_TOKEN: TOKEN,
      HERMES_OBSERVER_CONFIG: '/dev/null',
      HERMES_OBSERVER_VIEWER: 'off',
      ...env,
    };
  }

  static async start(env: Readonly<Record<string, string>>): Promise<ServeProcess> {
    const { port } = await freePorts(['port']);
    const serve = new ServeProcess(env, port);
    await serve.start();
    return serve;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [COMMAND, 'serve'], {
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
      });
    }
    try {
      await waitFor('serve is not ready', async () => (await this.#fetch('/readyz')).ok || undefined);
    } catch (error) {
      throw new Error(`${String(error)}\n${this.log.slice(-2_000)}`, { cause: error });
    }
  }

  #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#url}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${TOKEN}` } });
  }

  /** Resolves when all lines are on disk. */
  async take(lines: readonly string[]): Promise<void> {
    const response = await fetch(`${this.#url}/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\n`,
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${response.status}: ${answer}`);
  }

  async metricsPage(): Promise<string> {
    return (await this.#fetch('/metrics')).text();
  }

  /** @param signal SIGKILL as a crash, SIGTERM as an operator */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
