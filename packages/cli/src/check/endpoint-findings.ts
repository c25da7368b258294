import { randomBytes } from 'node:crypto';
import type { ExporterSettings } from '../config/exporter.js';
import { withoutCredentials } from '../config/show-config.js';
import type { Finding } from './finding.js';
import { reasonOf, type ServiceStatus } from './service-status.js';

const PATIENCE_MILLIS = 5_000;

/** Do backends take spans? Each gets one of its own service, `hermes-observer-check`. */
export async function endpointFindings(
  exporters: readonly ExporterSettings[],
  status: ServiceStatus | undefined,
): Promise<Finding[]> {
  const states = statesOf(status);
  if (exporters.length === 0 && states.length === 0) {
    return [
      {
        id: 'exporter',
        level: 'fault',
        text: 'no exporter is set, so spans go nowhere',
        mend: 'set exporters in the configuration, or OTEL_EXPORTER_OTLP_ENDPOINT',
      },
    ];
  }
  const probes = await Promise.all(exporters.map(probe));
  return [...probes, ...(status === undefined ? [] : differences(exporters, states)), ...states.flatMap(lossesOf)];
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
      const mend = 'restart the service with this configuration';
      return { id, level: 'fault', text: `the service that runs does not send to ${name}`, mend };
    }),
    ...own.map(({ name, sent, lastError }): Finding => {
      const text = `the service sends to ${name}, which this configuration does not name: ${sent} spans so far`;
      if (lastError === undefined) return { id, level: 'ok', text };
      return { id, level: 'warning', text: `${text}, and ${lastError}`, mend: 'look at that backend' };
    }),
  ];
}

const MOST_ANSWER_BYTES = 64 * 1024;

/** The answer, as far as it is looked at. */
async function startOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
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

async function probe({ name, url, headers, file }: ExporterSettings): Promise<Finding> {
  const id = 'exporter';
  if (url === undefined) return { id, level: 'ok', text: `${name}: the file ${file}` };
  const where = `${name} (${withoutCredentials(url)})`;
  const fault = (text: string, mend: string): Finding => ({ id, level: 'fault', text: `${where} ${text}`, mend });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(testRequest()),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MILLIS),
    });
    const { status } = response;
    const answer = await startOf(response);
    if (response.ok && isOtlp(answer)) return { id, level: 'ok', text: `${where} takes spans` };
    if (response.ok) {
      return fault('answers with no OTLP response', 'check that the address is that of an OTLP/HTTP receiver');
    }
    if (status === 401 || status === 403) {
      return fault(
        `asks for authentication (HTTP ${status})`,
        `set headers of exporter ${name}, or OTEL_EXPORTER_OTLP_HEADERS`,
      );
    }
    if (status === 404 || status === 405 || (status >= 300 && status < 400)) {
      return fault(
        `takes no traces at this address (HTTP ${status})`,
        'check the path: backends have /v1/traces at one of their own',
      );
    }
    if (status === 429 || status >= 500) {
      const text = `${where} is busy or broken (HTTP ${status})`;
      return { id, level: 'warning', text, mend: 'spans wait on disk; look at the backend if it stays so' };
    }
    return fault(`refuses spans (HTTP ${status})`, 'check that it takes OTLP/JSON over HTTP');
  } catch (error) {
    return fault(
      `cannot be reached: ${reasonOf(error)}`,
      'start the backend, or mend the address; spans wait on disk until then',
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
  const text = `${name} did not get ${lost} spans${lastError === undefined ? '' : `: ${lastError}`}`;
  return [{ id: 'lost', level: 'warning', text, mend: 'mend the reason: what is lost does not come again' }];
}
