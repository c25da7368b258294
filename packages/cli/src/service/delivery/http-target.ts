import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { JSON_ENCODING } from '@hermes-observer/otel';
import type { HttpTarget as Target } from '../options.js';
import type { Sent, SpanTarget } from './span-target.js';

const gzipped = promisify(gzip);
const DEFAULT_TIMEOUT_MS = 10_000;
/** More of an answer is not read. */
const MOST_ANSWER_BYTES = 256 * 1024;
/** Statuses that ask to send the same again. */
const AGAIN = new Set([408, 429, 502, 503, 504]);
/** Faults of an address or a key: whoever mends it wants what waited. */
const MENDABLE = new Set([401, 402, 403, 404, 405, 407]);
const isMendable = (status: number) => MENDABLE.has(status) || (status >= 300 && status < 400);

/** Sends requests as OTLP/JSON over HTTP, one at a time, over a connection that is kept. */
export class HttpTarget implements SpanTarget {
  readonly place: string;
  readonly #target: Target;
  readonly #url: URL;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(target: Target) {
    this.#target = target;
    this.#url = new URL(target.url);
    this.place = `${this.#url.origin}${this.#url.pathname}`;
    const options = { keepAlive: true, maxSockets: 1 };
    this.#agent =
      this.#url.protocol === 'https:'
        ? new HttpsAgent({ ...options, ...(target.ca === undefined ? {} : { ca: target.ca }) })
        : new HttpAgent(options);
  }

  async send(body: Uint8Array, signal: AbortSignal): Promise<Sent> {
    try {
      const isZipped = this.#target.compression === 'gzip';
      const bytes = isZipped ? await gzipped(body) : body;
      try {
        return await this.#exchange(bytes, isZipped, signal);
      } catch (error) {
        // A connection that was kept may have been closed at the other end meanwhile.
        if ((error as { isReused?: unknown }).isReused !== true || signal.aborted) throw error;
        return await this.#exchange(bytes, isZipped, signal);
      }
    } catch (error) {
      return { kind: 'unreachable', reason: reasonOf(error) };
    }
  }

  async close(): Promise<void> {
    this.#agent.destroy();
  }

  #exchange(body: Uint8Array, isZipped: boolean, signal: AbortSignal): Promise<Sent> {
    const { headers = {}, timeoutMillis = DEFAULT_TIMEOUT_MS } = this.#target;
    return new Promise((resolve, reject) => {
      const begin = this.#url.protocol === 'https:' ? httpsRequest : httpRequest;
      const request: ClientRequest = begin(this.#url, {
        method: 'POST',
        agent: this.#agent,
        signal,
        headers: {
          'user-agent': 'hermes-observer',
          ...headers,
          'content-type': 'application/json',
          'content-length': body.length,
          ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
        },
      });
      // A limit on the whole: a receiver that sends a byte now and then would hold it for ever.
      const timer = setTimeout(() => request.destroy(new Error(`no answer in ${timeoutMillis} ms`)), timeoutMillis);
      const settle = (action: () => void) => {
        clearTimeout(timer);
        action();
      };
      request.on('error', (error) => {
        const isReused = request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
        settle(() => reject(Object.assign(error, { isReused })));
      });
      request.on('response', (response) => {
        readAll(response).then(
          (bytes) => settle(() => resolve(sentOf(response, bytes))),
          (error) => settle(() => reject(error)),
        );
      });
      request.end(body);
    });
  }
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MOST_ANSWER_BYTES) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function sentOf(response: IncomingMessage, bytes: Buffer): Sent {
  const { statusCode: status = 0, statusMessage = '' } = response;
  if (status >= 200 && status < 300) {
    const answer = JSON_ENCODING.partialSuccess(bytes);
    if (answer !== undefined) return { kind: 'taken', ...answer };
    // A login page, a proxy, a web server: nobody has taken anything.
    return { kind: 'unreachable', reason: `answers with no OTLP response (HTTP ${status}); check the address` };
  }
  const reason = `${statusMessage || 'no reason given'} (HTTP ${status})`;
  if (isMendable(status)) return { kind: 'unreachable', reason: `refuses: ${reason}; check its address and key` };
  if (!AGAIN.has(status)) return { kind: 'refused', status, reason };
  const waitMillis = retryAfter(response.headers['retry-after'], response.headers.date);
  return {
    kind: 'unreachable',
    reason: `asks to try again: ${reason}`,
    ...(waitMillis === undefined ? {} : { waitMillis }),
  };
}

/** Seconds, or a date, which is one of the receiver's clock: ours may be set otherwise, or was set back just now. */
function retryAfter(text: string | undefined, sentAt: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const date = Date.parse(text);
  const now = Date.parse(sentAt ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(now) ? Date.now() : now));
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string };
  // The error of a host with several addresses has no message of its own.
  return message || (typeof code === 'string' ? code : 'no reason given');
}
