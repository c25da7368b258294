import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http';
import type { AgentOptions, Agent as HttpsAgent } from 'node:https';
import type { Encoding } from '../encoding/encoding.js';
import { sentOf } from './http-answer.js';
import type { HttpSettings } from './http-settings.js';
import type { Sent, SpanTarget } from './span-target.js';

const DEFAULT_TIMEOUT_MS = 10_000;
/** How a connection fails that the other end has closed. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);
/** Who is met speaks plain HTTP, which OpenSSL says in places of its source. */
const NO_TLS = new Set(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);
/** More of an answer is not read. */
const MOST_ANSWER_BYTES = 256 * 1024;

/** Sends OTLP requests over HTTP, over a connection that is kept. Needs nothing but Node.js, and loads of it what it uses. */
export class HttpTarget implements SpanTarget {
  readonly place: string;
  readonly #settings: HttpSettings;
  readonly #url: URL;
  readonly #options: AgentOptions;
  #agent: HttpAgent | HttpsAgent | undefined;

  constructor(settings: HttpSettings) {
    this.#settings = settings;
    this.#url = new URL(settings.url);
    this.place = `${this.#url.origin}${this.#url.pathname}`;
    const { ca, cert, key } = settings;
    const agent = { keepAlive: true, maxSockets: 1 };
    this.#options = {
      ...agent,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    };
  }

  async send(body: Uint8Array, signal: AbortSignal, encoding: Encoding): Promise<Sent> {
    try {
      const isZipped = this.#settings.compression === 'gzip';
      const bytes = isZipped ? await gzipped(body) : body;
      try {
        return await this.#exchange(bytes, isZipped, signal, encoding);
      } catch (error) {
        // A connection that was kept may have been closed at the other end meanwhile.
        if ((error as { isReused?: unknown }).isReused !== true || signal.aborted) throw error;
        return await this.#exchange(bytes, isZipped, signal, encoding);
      }
    } catch (error) {
      return { kind: 'unreachable', reason: reasonOf(error) };
    }
  }

  async close(): Promise<void> {
    this.#agent?.destroy();
    this.#agent = undefined;
  }

  #exchange(body: Uint8Array, isZipped: boolean, signal: AbortSignal, encoding: Encoding): Promise<Sent> {
    const { headers = {}, timeoutMillis = DEFAULT_TIMEOUT_MS } = this.#settings;
    return new Promise((resolve, reject) => {
      const http = process.getBuiltinModule(this.#url.protocol === 'https:' ? 'node:https' : 'node:http');
      this.#agent ??= new http.Agent(this.#options);
      const request: ClientRequest = http.request(this.#url, {
        method: 'POST',
        agent: this.#agent,
        signal,
        headers: {
          'user-agent': 'hermes-observer',
          ...headers,
          'content-type': encoding.contentType,
          'content-length': body.length,
          ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
        },
      });
      // A limit on the whole: a receiver that sends a byte now and then would hold it for ever.
      const late = () => request.destroy(new Error(`no answer in ${timeoutMillis} ms`));
      let immediate: NodeJS.Immediate | undefined;
      const timer = setTimeout(() => {
        // A program that was busy for so long has to look first whether the answer is there.
        immediate = setImmediate(late);
      }, timeoutMillis);
      const settle = (action: () => void) => {
        clearTimeout(timer);
        clearImmediate(immediate);
        action();
      };
      request.on('error', (error) => {
        const isReused = request.reusedSocket && CLOSED.has((error as NodeJS.ErrnoException).code ?? '');
        settle(() => reject(Object.assign(error, { isReused })));
      });
      request.on('response', (response) => {
        readAll(response).then(
          (bytes) => settle(() => resolve(sentOf(response, bytes, encoding))),
          (error) => settle(() => reject(error)),
        );
      });
      request.end(body);
    });
  }
}

function gzipped(body: Uint8Array): Promise<Buffer> {
  const { gzip } = process.getBuiltinModule('node:zlib');
  return new Promise((resolve, reject) => {
    gzip(body, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });
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

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string };
  if (NO_TLS.has(String(code))) return `it speaks no TLS (${code}): the address may have to begin with http://`;
  // The error of a host with several addresses has no message of its own.
  return message || (typeof code === 'string' ? code : 'no reason given');
}
