import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../jaeger/free-ports.js';
import { type Sample, samplesOf } from '../jaeger/prometheus-text.js';
import { Server } from '../jaeger/server.js';

/** Metrics to a page for Prometheus; logs and traces to files, a request a line. */
const config = (otlp: string, page: string, health: string, folder: string) => `
extensions:
  health_check: { endpoint: 127.0.0.1:${health} }
receivers:
  otlp: { protocols: { http: { endpoint: 127.0.0.1:${otlp} } } }
exporters:
  prometheus: { endpoint: 127.0.0.1:${page} }
  file/logs: { path: ${join(folder, 'logs.jsonl')} }
  file/traces: { path: ${join(folder, 'traces.jsonl')} }
service:
  extensions: [health_check]
  telemetry: { metrics: { level: none }, logs: { level: warn } }
  pipelines:
    metrics: { receivers: [otlp], exporters: [prometheus] }
    logs: { receivers: [otlp], exporters: [file/logs] }
    traces: { receivers: [otlp], exporters: [file/traces] }
`;

/** The real Collector as the other end of all three signals, on free ports of the loopback interface. */
export class SignalCollector {
  readonly #server: Server;
  readonly #folder: string;
  readonly #page: string;
  readonly endpoint: string;

  private constructor(server: Server, folder: string, page: string, endpoint: string) {
    this.#server = server;
    this.#folder = folder;
    this.#page = page;
    this.endpoint = endpoint;
  }

  /** @throws Error with the end of its log when it does not get ready. */
  static async start(): Promise<SignalCollector> {
    const folder = mkdtempSync(join(tmpdir(), 'signals-'));
    const { otlp, page, health } = await freePorts(['otlp', 'page', 'health']);
    const file = join(folder, 'collector.yaml');
    writeFileSync(file, config(otlp, page, health, folder));
    const server = await Server.start({
      name: 'the Collector',
      command: process.env.E2E_COLLECTOR ?? 'otelcol',
      args: ['--config', file],
      env: {},
      readyUrl: `http://127.0.0.1:${health}`,
    });
    return new SignalCollector(server, folder, `http://127.0.0.1:${page}/metrics`, `http://127.0.0.1:${otlp}`);
  }

  /** What a program has to be told to send everything here. */
  get env(): Record<string, string> {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.endpoint, OTEL_SERVICE_NAME: 'e2e' };
  }

  /** The page that Prometheus would read. */
  async page(): Promise<string> {
    const response = await fetch(this.#page);
    if (!response.ok) throw new Error(`${this.#page}: ${response.status}`);
    return response.text();
  }

  async samples(): Promise<Sample[]> {
    return samplesOf(await this.page());
  }

  /** Ends it, so that its files are whole. */
  async stop(): Promise<void> {
    await this.#server.stop();
  }

  /** All bytes of the logs it got. */
  logBytes(): Buffer {
    return readFileSync(join(this.#folder, 'logs.jsonl'));
  }

  /** Requests of a signal, in order. */
  requests<T>(signal: 'logs' | 'traces'): T[] {
    const lines = readFileSync(join(this.#folder, `${signal}.jsonl`), 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
