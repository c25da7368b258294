// The real Jaeger, in memory, on free ports of the loopback interface.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../kill/serve-command.mjs';
import { eventually } from './scene.mjs';

const CONFIG = fileURLToPath(new URL('../bin/jaeger.e2e.yaml', import.meta.url));
const PORTS = ['OTLP_GRPC', 'OTLP_HTTP', 'QUERY', 'QUERY_GRPC', 'HEALTH'].map((name) => `JAEGER_${name}_PORT`);

const hexOf = (id = '') => (/^[0-9a-f]*$/i.test(id) ? id.toLowerCase() : Buffer.from(id, 'base64').toString('hex'));

export class Jaeger {
  #child;
  #ports = {};

  /** @param program its binary */
  static async start(program) {
    const jaeger = new Jaeger();
    // One that was just free may be given out again.
    const free = new Set();
    while (free.size < PORTS.length) free.add(String(await freePort()));
    [...free].forEach((port, index) => {
      jaeger.#ports[PORTS[index]] = port;
    });
    jaeger.#child = spawn(program, ['--config', CONFIG], {
      env: { ...process.env, ...jaeger.#ports },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    jaeger.#child.stderr.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-2000);
    });
    process.once('exit', () => jaeger.#child.kill('SIGKILL'));
    const isReady = () =>
      fetch(`${jaeger.#query}/api/services`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually('Jaeger is ready', isReady, 30_000).catch(async (error) => {
      await jaeger.stop();
      throw new Error(`${error.message}: ${log}`);
    });
    return jaeger;
  }

  get #query() {
    return `http://127.0.0.1:${this.#ports.JAEGER_QUERY_PORT}`;
  }

  /** Gives it OTLP as it is. @throws Error when that is refused */
  async send(body, headers) {
    const url = `http://127.0.0.1:${this.#ports.JAEGER_OTLP_HTTP_PORT}/v1/traces`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`Jaeger refuses: ${answer.status} ${await answer.text()}`);
  }

  /** The spans of a trace as lines: id, parent, name, start and duration in nanoseconds. */
  async tree(trace) {
    const answer = await fetch(`${this.#query}/api/v3/traces/${trace}`);
    if (!answer.ok) return [];
    const { result } = await answer.json();
    return result.resourceSpans
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      .map(({ spanId, parentSpanId, name, startTimeUnixNano: start, endTimeUnixNano: end }) => {
        const parent = hexOf(parentSpanId);
        return `${hexOf(spanId)} ${parent === '' ? '-' : parent} ${name} ${start} ${BigInt(end) - BigInt(start)}`;
      })
      .sort();
  }

  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
