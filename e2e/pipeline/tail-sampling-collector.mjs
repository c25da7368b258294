// The Collector with docs/tail-sampling.yaml, and the backend behind it, on free ports of the loopback interface.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createPortHolder } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const CONFIG = fileURLToPath(new URL('../../docs/tail-sampling.yaml', import.meta.url));
/** JSON, so that the backend here needs no schema. All else of the file is as it stands. */
const AS_JSON = 'yaml:exporters::otlp_http/backend::encoding: json';
const PORTS = [
  'COLLECTOR_OTLP_GRPC_PORT',
  'COLLECTOR_OTLP_HTTP_PORT',
  'COLLECTOR_HEALTH_PORT',
  'COLLECTOR_TELEMETRY_PORT',
];

/** All spans of an OTLP/JSON request. */
export const spansIn = ({ resourceSpans = [] }) =>
  resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans));

async function freePorts(count) {
  const holders = Array.from({ length: count }, () => createPortHolder().listen(0, '127.0.0.1'));
  await Promise.all(holders.map((holder) => once(holder, 'listening')));
  const ports = holders.map((holder) => holder.address().port);
  await Promise.all(holders.map((holder) => once(holder.close(), 'close')));
  return ports;
}

/** A backend that takes everything and remembers which spans of which trace it got, and how often. */
class Backend {
  /** Trace id → span id → how often. */
  traces = new Map();
  #server = createServer((request, response) => {
    const chunks = [];
    request
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => {
        const body = Buffer.concat(chunks);
        const isGzip = request.headers['content-encoding'] === 'gzip';
        this.#take(JSON.parse(String(isGzip ? gunzipSync(body) : body)));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
  });

  async open() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  #take(body) {
    for (const { traceId, spanId } of spansIn(body)) {
      const spans = this.traces.get(traceId) ?? new Map();
      this.traces.set(traceId, spans);
      spans.set(spanId, (spans.get(spanId) ?? 0) + 1);
    }
  }

  get spanCount() {
    let count = 0;
    for (const spans of this.traces.values()) for (const times of spans.values()) count += times;
    return count;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export class TailSampler {
  backend = new Backend();
  #child;
  #ports;
  #log = '';

  /** @throws Error with the end of its log when it does not get ready. */
  static async start(program, settings) {
    const sampler = new TailSampler();
    const BACKEND_OTLP_ENDPOINT = await sampler.backend.open();
    const ports = await freePorts(PORTS.length);
    sampler.#ports = Object.fromEntries(PORTS.map((name, i) => [name, String(ports[i])]));
    const env = { ...process.env, ...sampler.#ports, COLLECTOR_HOST: '127.0.0.1', BACKEND_OTLP_ENDPOINT, ...settings };
    const child = spawn(program, ['--config', CONFIG, '--config', AS_JSON], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    sampler.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        sampler.#log += text;
      });
    process.once('exit', () => child.kill('SIGKILL'));
    for (let tries = 0; tries < 400 && child.exitCode === null; tries++) {
      if (await sampler.#get('COLLECTOR_HEALTH_PORT', '/').catch(() => undefined)) return sampler;
      await sleep(50);
    }
    await sampler.stop();
    throw new Error(`the Collector is not ready\n${sampler.#log.slice(-3000)}`);
  }

  get endpoint() {
    return `http://127.0.0.1:${this.#ports.COLLECTOR_OTLP_HTTP_PORT}`;
  }

  async #get(port, path) {
    const response = await fetch(`http://127.0.0.1:${this.#ports[port]}${path}`);
    return response.ok ? response.text() : undefined;
  }

  /** Sends one OTLP/JSON request with these spans. */
  async post(resourceSpans) {
    const body = JSON.stringify({ resourceSpans });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.endpoint}/v1/traces`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`the Collector answered ${response.status}: ${await response.text()}`);
  }

  /** A count of the Collector's own, summed over its labels; 0 where there is none. */
  async count(name) {
    const text = (await this.#get('COLLECTOR_TELEMETRY_PORT', '/metrics')) ?? '';
    const pattern = new RegExp(`^${name}(?:_total)?(?:\\{[^}]*\\})? (\\S+)$`, 'gm');
    return [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** Waits until the backend got nothing new for `millis`. */
  async quiet(millis) {
    for (let last = -1; last !== this.backend.spanCount; ) {
      last = this.backend.spanCount;
      await sleep(millis);
    }
  }

  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(timer);
    }
    this.backend.close();
  }
}
