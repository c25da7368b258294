import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { reasonOf } from './reasons.js';

const PATIENCE_MILLIS = 3_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** What a service tells of itself. Nothing in it is trusted: it may be of another version. */
export interface ServiceStatus {
  readonly protocol?: unknown;
  readonly version?: unknown;
  readonly http?: unknown;
  readonly is_paused?: unknown;
  readonly trouble?: unknown;
  readonly producers?: unknown;
  readonly exporters?: unknown;
  readonly counts?: unknown;
  readonly policy?: unknown;
}

export type Answer = { readonly status: ServiceStatus } | { readonly problem: string };

/** Asks over the socket. */
export function statusOverSocket(path: string): Promise<Answer> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path);
    const settle = (answer: Answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding('utf8');
    socket.setTimeout(PATIENCE_MILLIS, () => settle({ problem: 'no answer in 3 s' }));
    socket.once('connect', () => socket.write('{"op":"status","id":0}\n'));
    socket.once('error', (error) => settle({ problem: reasonOf(error) }));
    socket.once('close', () => settle({ problem: 'it closed the connection' }));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MOST_BYTES) settle({ problem: 'an answer without an end' });
      for (const line of text.split('\n').slice(0, -1)) {
        const status = statusIn(line);
        if (status !== undefined) settle({ status });
      }
    });
  });
}

function statusIn(line: string): ServiceStatus | undefined {
  try {
    const { status } = JSON.parse(line) as { status?: unknown };
    return typeof status === 'object' && status !== null ? status : undefined;
  } catch {
    return undefined;
  }
}

/** Asks over HTTP, with the token in the file if none is given. */
export async function statusOverHttp(url: string, token: string): Promise<Answer> {
  try {
    const response = await fetch(new URL('/v1/status', url), {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MILLIS),
    });
    if (response.status === 401) return { problem: 'it does not take the token (HTTP 401)' };
    if (!response.ok) return { problem: `HTTP ${response.status}, so something else may listen there` };
    const status = (await response.json()) as ServiceStatus;
    return typeof status?.protocol === 'number' ? { status } : { problem: 'something else listens there' };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

/** First line of the token file; empty when there is none. */
export function tokenIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/, 1)[0]?.trim() ?? '';
  } catch {
    return '';
  }
}
