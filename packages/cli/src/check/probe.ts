import { readFileSync } from 'node:fs';
import { withoutCredentials } from '../config/show-config.js';
import type { Finding } from './finding.js';
import { post } from './post.js';
import { isUntrusted, reasonOf } from './reasons.js';

/** One receiver of OTLP over HTTP, and what to send to it. */
export interface Probe {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly caFile?: string | undefined;
  readonly what: 'spans' | 'metrics' | 'log records';
  readonly protocol: 'http/json' | 'http/protobuf';
  readonly body: Uint8Array;
  /** Settings that say who one is. */
  readonly keys: string;
  /** Where the certificate of its authority is set; `undefined` where none can be. */
  readonly caSetting?: string | undefined;
}

const PIPELINES = { spans: 'traces', metrics: 'metrics', 'log records': 'logs' } as const;

/** Does it take what the service sends? Metrics come again whole; all else waits on disk. Never rejects. */
export async function probe({
  id,
  name,
  url,
  headers,
  caFile,
  what,
  protocol,
  body,
  ...settings
}: Probe): Promise<Finding> {
  const where = `${name} (${withoutCredentials(url)})`;
  const fault = (text: string, mend: string): Finding => ({ id, level: 'fault', text: `${where} ${text}`, mend });
  const again = what === 'metrics' ? 'the next ones have all that was not taken' : 'what was not taken waits on disk';
  try {
    const { status, text: answer } = await post(url, {
      headers: { ...headers, 'content-type': protocol === 'http/json' ? 'application/json' : 'application/x-protobuf' },
      body,
      ca: caFile === undefined ? undefined : readFileSync(caFile, 'utf8'),
    });
    const isGood = status >= 200 && status < 300;
    if (isGood && isOtlp(answer, protocol)) return { id, level: 'ok', text: `${where} takes ${what}` };
    if (isGood) {
      return fault(
        `answers, and not as a receiver of OTLP does (HTTP ${status})`,
        'set the address of an OTLP/HTTP receiver; this one may be a web page',
      );
    }
    if (status === 401 || status === 403) {
      const given = Object.keys(headers);
      const has = given.length === 0 ? 'no headers are set' : `it got the headers ${given.join(', ')}`;
      return fault(`asks for authentication (HTTP ${status}; ${has})`, `set ${settings.keys}; ${again}`);
    }
    if (status === 404 || status === 405 || (status >= 300 && status < 400)) {
      const pipeline = `a Collector answers so where it has no pipeline of ${PIPELINES[what]} with the receiver otlp`;
      return fault(
        `takes no ${PIPELINES[what]} at this address (HTTP ${status})`,
        `set the address that its documentation gives for OTLP over HTTP, path included; ${pipeline}; ${again}`,
      );
    }
    if (status === 429 || status >= 500) {
      const text = `${where} is busy or broken (HTTP ${status})`;
      return { id, level: 'warning', text, mend: `look at the backend if it stays so; ${again}` };
    }
    const form = protocol === 'http/json' ? 'OTLP/JSON' : 'OTLP as protobuf';
    return fault(`refuses ${what} (HTTP ${status})`, `set an address that takes ${form} over HTTP`);
  } catch (error) {
    if (isUntrusted(error)) {
      const setting = settings.caSetting ?? 'NODE_EXTRA_CA_CERTS of the service';
      return fault(`is not trusted: ${reasonOf(error)}`, `set ${setting} to the certificate of its authority`);
    }
    const port = new URL(url).port === '4317' ? '4317 is the port of OTLP over gRPC: try 4318; ' : '';
    return fault(
      `cannot be reached: ${reasonOf(error)}`,
      `${port}start the backend, or set its right address; ${again}`,
    );
  }
}

/** Nothing, a JSON object, or bytes that are no page: of protobuf none begins like one. */
function isOtlp(answer: string, protocol: Probe['protocol']): boolean {
  if (answer.trim() === '') return true;
  if (protocol === 'http/protobuf') return !answer.trimStart().startsWith('<');
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
