// The real `hermes-observer serve`, in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/hermes-observer.js', import.meta.url));
export const TOKEN = 'a-token-of-the-end-to-end-tests';
const START_MILLIS = 20_000;

/** A port of the loopback interface that nobody listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await once(server.close(), 'close');
  return port;
}

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** Starts of one service: same data folder, same socket, same port. */
export class ServeCommand {
  log = '';
  #child;
  #exit;

  /**
   * @param folder for all that the service has: short, since a socket is in it. @param data another data folder
   * @param config what stands in its YAML file; JSON is YAML. @param env further variables. @param args of Node.js
   */
  constructor(folder, { data = join(folder, 'data'), config = {}, env = {}, args = [] } = {}) {
    this.folder = folder;
    this.data = data;
    this.socket = join(folder, 'run', 'observer.sock');
    this.config = config;
    this.env = env;
    this.args = args;
  }

  /** @throws Error with its log if it ends, or is not ready in time. */
  async start() {
    this.port ??= await freePort();
    const file = join(this.folder, 'config.yaml');
    writeFileSync(file, JSON.stringify(this.config));
    const clean = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(HERMES_OBSERVER_|OTEL_)/.test(name)),
    );
    const env = {
      ...clean,
      HERMES_OBSERVER_CONFIG: file,
      HERMES_OBSERVER_DATA: this.data,
      HERMES_OBSERVER_SOCKET: this.socket,
      HERMES_OBSERVER_HTTP_PORT: String(this.port),
      HERMES_OBSERVER_TOKEN: TOKEN,
      ...this.env,
    };
    const child = spawn(process.execPath, [...this.args, COMMAND, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.log += text;
      });
    }
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    this.#exit = once(child, 'exit').then(([code, signal]) => {
      process.off('exit', kill);
      return { code, signal };
    });
    const end = performance.now() + START_MILLIS;
    for (;;) {
      if (!this.isRunning) throw new Error(`serve has ended: ${this.log.slice(-2000)}`);
      if (
        await this.get('/healthz').then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return this;
      if (performance.now() > end) throw new Error(`serve is not ready: ${this.log.slice(-2000)}`);
      await pause(20);
    }
  }

  get pid() {
    return this.#child.pid;
  }

  get isRunning() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get exit() {
    return this.#exit;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  get(path, headers = {}) {
    return fetch(`${this.url}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}`, connection: 'close', ...headers },
      signal: AbortSignal.timeout(10_000),
    });
  }

  kill(signal = 'SIGKILL') {
    this.#child.kill(signal);
    return this.#exit;
  }

  /** With SIGTERM. Gives how it ended and after how long. */
  async stop() {
    const began = performance.now();
    if (!this.isRunning) return { ...(await this.#exit), millis: 0 };
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 20_000);
    const end = await this.kill('SIGTERM');
    clearTimeout(late);
    return { ...end, millis: performance.now() - began };
  }

  /** Its counts, as Prometheus would read them. */
  async metrics() {
    const response = await this.get('/metrics');
    if (!response.ok) throw new Error(`/metrics: ${response.status}`);
    return new Samples(await response.text());
  }

  /** Resident memory in bytes; 0 when it has ended. */
  get residentBytes() {
    try {
      const text = readFileSync(`/proc/${this.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
    } catch {
      return 0;
    }
  }
}

/** Lines of Prometheus' text format. */
class Samples {
  #samples;

  constructor(text) {
    this.#samples = [...text.matchAll(/^hermes_observer_(\w+?)(?:_total)?(?:\{([^}]*)\})? (\S+)$/gm)].map(
      ([, name, labels = '', value]) => ({
        name,
        labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text])),
        value: Number(value),
      }),
    );
  }

  /** The sum over all labels that are not given. */
  value(name, labels = {}) {
    return this.#samples
      .filter((sample) => sample.name === name && Object.entries(labels).every(([key, v]) => sample.labels[key] === v))
      .reduce((sum, { value }) => sum + value, 0);
  }

  /** All with a value whose name fits, for a message. */
  matching(pattern) {
    return this.#samples.filter(({ name, value }) => pattern.test(name) && value > 0);
  }
}
