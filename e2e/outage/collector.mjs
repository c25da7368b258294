// A real Collector that can be killed, and started again at the same port.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../cache-folder.mjs';
import { freePort } from '../kill/serve-command.mjs';
import { until } from './scene.mjs';

const SCRIPT = fileURLToPath(new URL('../bin/get-otelcol.sh', import.meta.url));
const CONFIG = fileURLToPath(new URL('collector.yaml', import.meta.url));

export class Collector {
  #child;
  #log = '';

  constructor(sinkUrl) {
    this.sinkUrl = sinkUrl;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Builds it the first time, as `e2e:jaeger` does. */
  async start() {
    const { status } = spawnSync('bash', [SCRIPT, cacheFolder], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error('there is no Collector');
    this.port ??= await freePort();
    const env = { ...process.env, OTLP_PORT: String(this.port), SINK_URL: this.sinkUrl };
    const child = spawn(join(cacheFolder, 'otelcol'), ['--config', CONFIG], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.#log += text;
      });
    }
    process.once('exit', () => child.kill('SIGKILL'));
    try {
      await until('the Collector listens', () => child.exitCode === null && listens(this.port));
    } catch (error) {
      throw new Error(`${error.message}\n${this.#log.slice(-2000)}`);
    }
  }

  async kill() {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
