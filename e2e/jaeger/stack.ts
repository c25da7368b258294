import { join } from 'node:path';
import { TOP } from '../run-command.js';
import { freePorts } from './free-ports.js';
import { JaegerApi } from './jaeger-api.js';
import { samplesOf, sum } from './prometheus-text.js';
import { Server } from './server.js';
import { waitFor } from './wait-for.js';

/** Variables of `e2e/bin/jaeger.e2e.yaml` and of `otel-collector.yaml` that are ports. */
const PORTS = [
  'JAEGER_OTLP_GRPC_PORT',
  'JAEGER_OTLP_HTTP_PORT',
  'JAEGER_QUERY_PORT',
  'JAEGER_QUERY_GRPC_PORT',
  'JAEGER_HEALTH_PORT',
  'COLLECTOR_OTLP_GRPC_PORT',
  'COLLECTOR_OTLP_HTTP_PORT',
  'COLLECTOR_PROMETHEUS_PORT',
  'COLLECTOR_HEALTH_PORT',
  'COLLECTOR_TELEMETRY_PORT',
] as const;

type Ports = Record<(typeof PORTS)[number], string>;

/** Short times, so that a test need not wait; all else of `otel-collector.yaml` is as it stands. */
const QUICK = { SPAN_METRICS_FLUSH_INTERVAL: '500ms', JAEGER_RETRY_INITIAL: '200ms', JAEGER_RETRY_INTERVAL: '1s' };

const local = (port: string, path = '') => `http://127.0.0.1:${port}${path}`;

/** The Collector with the file of this repository, and Jaeger behind it, on free ports of the loopback interface. */
export class Stack {
  readonly #programs: string;
  readonly #ports: Ports;
  #jaeger: Server | undefined;
  #collector: Server | undefined;

  private constructor(programs: string, ports: Ports) {
    this.#programs = programs;
    this.#ports = ports;
  }

  /** `programs`: the folder with `jaeger` and `otelcol`. Another program may take a free port first; then once more. */
  static async start(programs: string, isRetry = false): Promise<Stack> {
    const stack = new Stack(programs, await freePorts(PORTS));
    const starts = await Promise.allSettled([stack.startJaeger(), stack.#startCollector()]);
    const failed = starts.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed === undefined) return stack;
    await stack.stop();
    if (isRetry || !String(failed.reason).includes('address already in use')) throw failed.reason;
    return Stack.start(programs, true);
  }

  /** Where spans are sent to: OTLP/HTTP of the Collector. */
  get endpoint(): string {
    return local(this.#ports.COLLECTOR_OTLP_HTTP_PORT);
  }

  get grpcEndpoint(): string {
    return local(this.#ports.COLLECTOR_OTLP_GRPC_PORT);
  }

  get jaeger(): JaegerApi {
    return new JaegerApi(local(this.#ports.JAEGER_QUERY_PORT));
  }

  get collectorLog(): string {
    return this.#collector?.log ?? '';
  }

  async startJaeger(): Promise<void> {
    this.#jaeger = await Server.start({
      name: 'Jaeger',
      command: join(this.#programs, 'jaeger'),
      args: ['--config', join(TOP, 'e2e/bin/jaeger.e2e.yaml')],
      env: this.#ports,
      readyUrl: local(this.#ports.JAEGER_QUERY_PORT, '/api/services'),
    });
  }

  async stopJaeger(): Promise<void> {
    await this.#jaeger?.stop();
    this.#jaeger = undefined;
  }

  async #startCollector(): Promise<void> {
    const JAEGER_OTLP_ENDPOINT = local(this.#ports.JAEGER_OTLP_HTTP_PORT);
    this.#collector = await Server.start({
      name: 'the Collector',
      command: join(this.#programs, 'otelcol'),
      args: ['--config', join(TOP, 'otel-collector.yaml')],
      env: { ...this.#ports, ...QUICK, COLLECTOR_HOST: '127.0.0.1', JAEGER_OTLP_ENDPOINT },
      readyUrl: local(this.#ports.COLLECTOR_HEALTH_PORT),
    });
  }

  /** The metrics counted from spans, as text. */
  spanMetrics(): Promise<string> {
    return textAt(local(this.#ports.COLLECTOR_PROMETHEUS_PORT, '/metrics'));
  }

  /** A count of the Collector's own, summed over its labels. */
  async collectorCount(name: string): Promise<number> {
    return sum(samplesOf(await textAt(local(this.#ports.COLLECTOR_TELEMETRY_PORT, '/metrics'))), name);
  }

  /** Waits until Jaeger has taken all that the Collector was given. */
  async delivered(): Promise<void> {
    await waitFor('the Collector has not delivered all it was given', async () => {
      const accepted = await this.collectorCount('otelcol_receiver_accepted_spans');
      return (await this.collectorCount('otelcol_exporter_sent_spans')) === accepted || undefined;
    });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#jaeger?.stop(), this.#collector?.stop()]);
  }
}

async function textAt(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.text();
}
