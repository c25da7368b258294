import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ExporterSettings } from '../config/exporter.js';
import { withoutCredentials } from '../config/show-config.js';
import type { Finding } from './finding.js';
import { post } from './post.js';
import { isUntrusted, reasonOf } from './reasons.js';
import type { ServiceStatus } from './service-status.js';

/** Do backends take spans? Each gets one of its own service, `hermes-observer-check`. */
export async function endpointFindings(
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
  const probes = await Promise.all(exporters.map(probe));
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

/** Nothing, or a JSON object. */
function isOtlp(answer: string): boolean {
  if (answer.trim() === '') return true;
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

async function probe({ name, kind, url, headers, file, folder, ca_file: caFile }: ExporterSettings): Promise<Finding> {
  const id = 'exporter';
  if (kind === 'atif') return { id, level: 'ok', text: `${name}: trajectories go to the folder ${folder}` };
  if (url === undefined) return { id, level: 'ok', text: `${name}: spans go to the file ${file}` };
  const where = `${name} (${withoutCredentials(url)})`;
  const fault = (text: string, mend: string): Finding => ({ id, level: 'fault', text: `${where} ${text}`, mend });
  const again = 'what was not taken waits on disk';
  try {
    const { status, text: answer } = await post(url, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(testRequest()),
      ca: caFile === undefined ? undefined : readFileSync(caFile, 'utf8'),
    });
    const isGood = status >= 200 && status < 300;
    if (isGood && isOtlp(answer)) return { id, level: 'ok', text: `${where} takes spans` };
    if (isGood) {
      return fault(
        `answers, and not as a receiver of OTLP does (HTTP ${status})`,
        'set the address of an OTLP/HTTP receiver; this one may be a web page',
      );
    }
    if (status === 401 || status === 403) {
      const given = Object.keys(headers);
      const has = given.length === 0 ? 'no headers are set' : `it got the headers ${given.join(', ')}`;
      return fault(
        `asks for authentication (HTTP ${status}; ${has})`,
        `set headers of exporter ${name} in the configuration, or OTEL_EXPORTER_OTLP_HEADERS; ${again}`,
      );
    }
    if (status === 404 || status === 405 || (status >= 300 && status < 400)) {
      return fault(
        `takes no traces at this address (HTTP ${status})`,
        `set the address that its documentation gives for OTLP over HTTP, path included; ${again}`,
      );
    }
    if (status === 429 || status >= 500) {
      const text = `${where} is busy or broken (HTTP ${status})`;
      return { id, level: 'warning', text, mend: `look at the backend if it stays so; ${again}` };
    }
    return fault(`refuses spans (HTTP ${status})`, 'set an address that takes OTLP/JSON over HTTP');
  } catch (error) {
    if (isUntrusted(error)) {
      return fault(
        `is not trusted: ${reasonOf(error)}`,
        `set ca_file of exporter ${name}, or OTEL_EXPORTER_OTLP_CERTIFICATE, to the certificate of its authority`,
      );
    }
    const port = new URL(url).port === '4317' ? '4317 is the port of OTLP over gRPC: try 4318; ' : '';
    return fault(
      `cannot be reached: ${reasonOf(error)}`,
      `${port}start the backend, or set its right address; spans wait on disk until then`,
    );
  }
}

/** One span that nobody takes for one of an agent. */
function testRequest() {
  const now = `${BigInt(Date.now()) * 1_000_000n}`;
  const span = {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'hermes-observer check',
    kind: 1,
    startTimeUnixNano: now,
    endTimeUnixNano: `${BigInt(now) + 1n}`,
  };
  const attributes = [{ key: 'service.name', value: { stringValue: 'hermes-observer-check' } }];
  return {
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'hermes-observer' }, spans: [span] }] }],
  };
}

function lossesOf({ name, lost, lastError }: State): Finding[] {
  if (lost === 0) return [];
  const text = `${name} did not get ${lost} spans, which were given up${lastError === undefined ? '' : `: ${lastError}`}`;
  return [{ id: 'lost', level: 'warning', text, mend: 'see to the reason: what was given up does not come again' }];
}
