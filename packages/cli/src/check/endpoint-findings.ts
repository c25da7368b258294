import {
  JSON_ENCODING,
  ObserverTracerProvider,
  observerResource,
  PROTOBUF_ENCODING,
  type ReadableSpan,
  TraceRequests,
  withLength,
} from '@hermes-observer/otel';
import type { ExporterSettings } from '../config/exporter.js';
import type { Config } from '../config/load-config.js';
import { leadsTo } from '../config/own-address.js';
import type { Finding } from './finding.js';
import { probe } from './probe.js';
import type { ServiceStatus } from './service-status.js';

/** Do backends take spans? Each gets one of its own service, `hermes-observer-check`. */
export async function endpointFindings(config: Config, status: ServiceStatus | undefined): Promise<Finding[]> {
  const own = config.ownEndpoint ?? endpointOfRunning(config, status);
  if (own === undefined) return backendFindings(config.values.exporters ?? [], status);
  const text = `${own} names this service itself, for programs that send to it: it is no backend, and ignored`;
  return [{ id: 'exporter', level: 'note', text }, ...(await backendFindings([], status))];
}

/** The standard variable that names the service that runs, which may listen elsewhere than this configuration says. */
function endpointOfRunning({ values, origins }: Config, status: ServiceStatus | undefined): string | undefined {
  const [exporter] = values.exporters ?? [];
  if (!/^OTEL_/.test(origins.exporters) || exporter?.url === undefined || typeof status?.http !== 'string')
    return undefined;
  const { host } = URL.canParse(status.http) ? new URL(status.http) : { host: '' };
  return leadsTo([host], exporter.url) ? origins.exporters : undefined;
}

async function backendFindings(
  exporters: readonly ExporterSettings[],
  status: ServiceStatus | undefined,
): Promise<Finding[]> {
  const states = statesOf(status);
  if (exporters.length === 0 && states.length === 0) {
    if (hasViewer(status)) {
      const text = 'no exporter is set: spans are shown in the viewer only';
      return [{ id: 'exporter', level: 'note', text }];
    }
    return [
      {
        id: 'exporter',
        level: 'fault',
        text: 'no exporter is set, so spans go nowhere',
        mend: 'set exporters in the configuration, or OTEL_EXPORTER_OTLP_ENDPOINT, and restart the service',
      },
    ];
  }
  const probes = await Promise.all(exporters.map(testOf));
  return [...probes, ...(status === undefined ? [] : differences(exporters, states)), ...states.flatMap(lossesOf)];
}

/** The service counts what its viewer has, where it has one. */
function hasViewer(status: ServiceStatus | undefined): boolean {
  const counts = Array.isArray(status?.counts) ? (status.counts as (Record<string, unknown> | null)[]) : [];
  return counts.some((count) => count?.name === 'viewer_traces');
}

/** An exporter of the service that runs. */
interface State {
  readonly name: string;
  readonly sent: number;
  readonly lost: number;
  readonly lastError: string | undefined;
}

function statesOf(status: ServiceStatus | undefined): State[] {
  const states = Array.isArray(status?.exporters) ? (status.exporters as (Record<string, unknown> | null)[]) : [];
  return states.flatMap((state) => {
    if (typeof state?.name !== 'string') return [];
    const { name, sentSpans, lostSpans, lastError } = state;
    return [
      {
        name,
        sent: typeof sentSpans === 'number' ? sentSpans : 0,
        lost: typeof lostSpans === 'number' ? lostSpans : 0,
        lastError: typeof lastError === 'string' && lastError !== '' ? lastError : undefined,
      },
    ];
  });
}

/** A service keeps the settings that it was started with, which may be others than these. */
function differences(exporters: readonly ExporterSettings[], states: readonly State[]): Finding[] {
  const id = 'exporter';
  const unknown = exporters.filter(({ name }) => !states.some((state) => state.name === name));
  const own = states.filter(({ name }) => !exporters.some((exporter) => exporter.name === name));
  return [
    ...unknown.map(({ name }): Finding => {
      const text = `the service that runs does not send to ${name}, which this configuration names`;
      return { id, level: 'fault', text, mend: 'restart the service with this configuration' };
    }),
    ...own.map(({ name, sent, lastError }): Finding => {
      const text = `the service was started with the exporter ${name}: ${sent} spans so far`;
      if (lastError === undefined) return { id, level: 'ok', text };
      return { id, level: 'warning', text: `${text}, and ${lastError}`, mend: 'look at that backend' };
    }),
  ];
}

const testOf = (exporter: ExporterSettings): Promise<Finding> => {
  const { name, kind, url, headers, file, folder, protocol, ca_file: caFile } = exporter;
  const id = 'exporter';
  if (kind === 'atif') {
    return Promise.resolve({ id, level: 'ok', text: `${name}: trajectories go to the folder ${folder}` });
  }
  if (url === undefined) return Promise.resolve({ id, level: 'ok', text: `${name}: spans go to the file ${file}` });
  return probe({
    id,
    name,
    url,
    headers,
    caFile,
    what: 'spans',
    protocol,
    body: testRequest(protocol),
    keys: keysOf(exporter),
    caSetting: `ca_file of exporter ${name}, or OTEL_EXPORTER_OTLP_CERTIFICATE,`,
  });
};

/** What a backend knows its users by. */
function keysOf({ name, kind }: ExporterSettings): string {
  switch (kind) {
    case 'langfuse':
      return `LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or public_key and secret_key of exporter ${name}, to the keys of one project at this address`;
    case 'phoenix':
      return `PHOENIX_API_KEY, or api_key of exporter ${name}`;
    default:
      return `headers of exporter ${name} in the configuration, or OTEL_EXPORTER_OTLP_HEADERS`;
  }
}

/** One span that nobody takes for one of an agent. */
function testRequest(protocol: ExporterSettings['protocol']): Uint8Array {
  const spans: ReadableSpan[] = [];
  const provider = new ObserverTracerProvider({
    resource: observerResource('hermes-observer-check', {}),
    spanProcessors: [{ ...IDLE, onEnd: (span) => void spans.push(span) }],
  });
  provider.getTracer('hermes-observer').startSpan('hermes-observer check', { root: true }).end();
  const encoding = protocol === 'http/protobuf' ? PROTOBUF_ENCODING : JSON_ENCODING;
  const [request] = new TraceRequests(encoding, MOST_BYTES, withLength).of(spans);
  return request?.body ?? new Uint8Array();
}

const MOST_BYTES = 1024 * 1024;

const IDLE = { onStart: () => {}, forceFlush: () => Promise.resolve(), shutdown: () => Promise.resolve() };

function lossesOf({ name, lost, lastError }: State): Finding[] {
  if (lost === 0) return [];
  const text = `${name} did not get ${lost} spans, which were given up${lastError === undefined ? '' : `: ${lastError}`}`;
  return [{ id: 'lost', level: 'warning', text, mend: 'see to the reason: what was given up does not come again' }];
}
