import { observerResource } from '@hermes-observer/otel';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { MeterProvider, PeriodicExportingMetricReader, type ScopeMetrics } from '@opentelemetry/sdk-metrics';
import { within } from '../within.js';

export interface MetricTarget {
  /** The full address, with `/v1/metrics`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly intervalMillis: number;
}

export interface MetricExportOptions extends MetricTarget {
  readonly serviceName: string | undefined;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  /** All metrics of now. */
  readonly collect: () => readonly ScopeMetrics[];
  readonly onWarning: (text: string) => void;
}

const TIMEOUT_MS = 10_000;

/** Told once, until they are taken again. */
function refusalOf(url: string, error: Error): string {
  const { origin, pathname } = new URL(url);
  const status = 'code' in error && typeof error.code === 'number' ? ` (HTTP ${error.code})` : '';
  const hint = status.includes('404')
    ? '; a Collector answers so where it has no pipeline of metrics with the receiver otlp'
    : '';
  return `metrics are not taken at ${origin}${pathname}: ${error.message}${status}${hint}; they are sent again each interval`;
}

/** Sends all metrics to an OTLP receiver, once an interval. What is not taken is not lost: the next request has it too. */
export class MetricExport {
  readonly #provider: MeterProvider;
  failures = 0;
  #isTaken = true;

  constructor({ url, headers = {}, intervalMillis, collect, onWarning, ...agent }: MetricExportOptions) {
    const { serviceName, resourceAttributes } = agent;
    const resource = observerResource(serviceName, {
      ...resourceAttributes,
      ...(serviceName === undefined ? {} : { 'service.name': serviceName }),
    });
    const exporter = new OTLPMetricExporter({ url, headers, timeoutMillis: Math.min(TIMEOUT_MS, intervalMillis) });
    const send = exporter.export.bind(exporter);
    exporter.export = (metrics, callback) =>
      send(metrics, (result) => {
        if (result.error === undefined) {
          this.#isTaken = true;
          return callback(result);
        }
        this.failures++;
        if (this.#isTaken) onWarning(refusalOf(url, result.error));
        this.#isTaken = false;
        // The reader would print it each time.
        callback({ code: 0 });
      });
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: intervalMillis,
      exportTimeoutMillis: Math.min(TIMEOUT_MS, intervalMillis),
      metricProducers: [
        { collect: async () => ({ resourceMetrics: { resource, scopeMetrics: [...collect()] }, errors: [] }) },
      ],
    });
    this.#provider = new MeterProvider({ resource, readers: [reader] });
  }

  /** Sends what there is a last time. @param millis the time for it */
  async stop(millis: number): Promise<void> {
    await within(
      this.#provider.shutdown().catch(() => undefined),
      millis,
    );
  }
}
