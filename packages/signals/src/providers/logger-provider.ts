import { loadPeer, type ObserverTracerProviderOptions } from '@hermes-observer/otel';
import type * as LogsHttp from '@opentelemetry/exporter-logs-otlp-http';
import type * as Sdk from '@opentelemetry/sdk-logs';
import type { CountedLogs } from './counted-logs.js';
import { type Environment, exporterNames, millisOf, otlpSettings } from './otlp-settings.js';
import { tellingExporter } from './telling-exporter.js';

type Resource = NonNullable<ObserverTracerProviderOptions['resource']>;

const EXPORTERS = ['otlp', 'console'] as const;
const NEED = 'logs: true';
/** A burst of spans that end at once finds room: the SDK's own bound is 2048, and what is over it is lost. */
const MOST_WAITING = 8_192;
/** Content makes records large: requests are to stay below what receivers take. */
const MOST_IN_A_BATCH = 128;

/**
 * A logger provider of the SDK with the exporters that `OTEL_LOGS_EXPORTER` names (`otlp` by default, `console`), as
 * `OTEL_EXPORTER_OTLP_*` and `OTEL_BLRP_SCHEDULE_DELAY` say.
 * @throws ObserverError `HO_PEER_MISSING`, `HO_OPTION`
 */
export function openLoggerProvider(
  env: Environment,
  resource: Resource,
  counts: CountedLogs,
  warn: (text: string) => void,
): Sdk.LoggerProvider {
  const sdk = loadPeer<typeof Sdk>('@opentelemetry/sdk-logs', NEED, import.meta);
  const delay = millisOf(env, 'OTEL_BLRP_SCHEDULE_DELAY');
  const processors: Sdk.LogRecordProcessor[] = exporterNames(env, 'logs', EXPORTERS).flatMap(
    (name): Sdk.LogRecordProcessor[] => {
      if (name === 'console')
        return [new sdk.SimpleLogRecordProcessor({ exporter: new sdk.ConsoleLogRecordExporter() })];
      const batches = new sdk.BatchLogRecordProcessor({
        exporter: counts.counted(otlpExporter(env, warn)),
        maxExportBatchSize: MOST_IN_A_BATCH,
        maxQueueSize: MOST_WAITING,
        ...(delay === undefined ? {} : { scheduledDelayMillis: delay }),
      });
      return [counts.processor, batches];
    },
  );
  return new sdk.LoggerProvider({ resource, processors });
}

function otlpExporter(env: Environment, warn: (text: string) => void): Sdk.LogRecordExporter {
  const { protocol, ...settings } = otlpSettings(env, 'logs');
  const name = `@opentelemetry/exporter-logs-otlp-${protocol === 'http/json' ? 'http' : 'proto'}`;
  const { OTLPLogExporter } = loadPeer<typeof LogsHttp>(name, NEED, import.meta);
  const exporter = new OTLPLogExporter(settings as ConstructorParameters<typeof OTLPLogExporter>[0]);
  return tellingExporter(exporter, settings.url, 'log records', warn);
}
