import { loadPeer, type ObserverTracerProviderOptions } from '@hermes-observer/otel';
import type * as MetricsHttp from '@opentelemetry/exporter-metrics-otlp-http';
import type * as Prometheus from '@opentelemetry/exporter-prometheus';
import type * as Sdk from '@opentelemetry/sdk-metrics';
import { type Environment, exporterNames, millisOf, otlpSettings } from './otlp-settings.js';
import { tellingExporter } from './telling-exporter.js';

type Resource = NonNullable<ObserverTracerProviderOptions['resource']>;

const EXPORTERS = ['otlp', 'prometheus', 'console'] as const;
const NEED = 'metrics: true';
const DEFAULT_INTERVAL_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * A meter provider of the SDK with the exporters that `OTEL_METRICS_EXPORTER` names (`otlp` by default, `prometheus`,
 * `console`), as `OTEL_EXPORTER_OTLP_*`, `OTEL_METRIC_EXPORT_*` and `OTEL_EXPORTER_PROMETHEUS_*` say.
 * @throws ObserverError `HO_PEER_MISSING`, `HO_OPTION`
 */
export function openMeterProvider(
  env: Environment,
  resource: Resource,
  warn: (text: string) => void,
): Sdk.MeterProvider {
  const sdk = loadPeer<typeof Sdk>('@opentelemetry/sdk-metrics', NEED, import.meta);
  const readers = exporterNames(env, 'metrics', EXPORTERS).map((name): Sdk.IMetricReader => {
    if (name === 'prometheus') return prometheusReader(env);
    const exportIntervalMillis = millisOf(env, 'OTEL_METRIC_EXPORT_INTERVAL') ?? DEFAULT_INTERVAL_MS;
    const timeout = millisOf(env, 'OTEL_METRIC_EXPORT_TIMEOUT') ?? DEFAULT_TIMEOUT_MS;
    return new sdk.PeriodicExportingMetricReader({
      exporter: name === 'otlp' ? otlpExporter(env, warn) : new sdk.ConsoleMetricExporter(),
      exportIntervalMillis,
      // The SDK refuses one that is longer.
      exportTimeoutMillis: Math.min(timeout, exportIntervalMillis),
    });
  });
  return new sdk.MeterProvider({ resource, readers });
}

function otlpExporter(env: Environment, warn: (text: string) => void): Sdk.PushMetricExporter {
  const { protocol, ...settings } = otlpSettings(env, 'metrics');
  const name = `@opentelemetry/exporter-metrics-otlp-${protocol === 'http/json' ? 'http' : 'proto'}`;
  const { OTLPMetricExporter } = loadPeer<typeof MetricsHttp>(name, NEED, import.meta);
  const options = { ...settings, ...temporalityOf(env) } as MetricsHttp.OTLPMetricExporterOptions;
  return tellingExporter(new OTLPMetricExporter(options), settings.url, 'metrics', warn);
}

/** `cumulative`, `delta` and `lowmemory`, as the exporter numbers them. */
function temporalityOf(env: Environment) {
  const word = env.OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE?.trim().toLowerCase();
  const at = ['delta', 'cumulative', 'lowmemory'].indexOf(word ?? '');
  return at < 0 ? {} : { temporalityPreference: at };
}

function prometheusReader(env: Environment): Sdk.IMetricReader {
  const { PrometheusExporter } = loadPeer<typeof Prometheus>('@opentelemetry/exporter-prometheus', NEED, import.meta);
  const port = Number(env.OTEL_EXPORTER_PROMETHEUS_PORT);
  return new PrometheusExporter({
    host: env.OTEL_EXPORTER_PROMETHEUS_HOST?.trim() || 'localhost',
    ...(port > 0 ? { port } : {}),
  });
}
