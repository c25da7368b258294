import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ObserverError } from '@hermes-observer/core';
import type { DecisionPort } from '../approvals/approvals-port.js';
import type { BaseChannel, CallbackReply } from './base-channel.js';
import { handleCallback, MOST_CALLBACK_BYTES } from './callbacks.js';

export interface CallbackServerOptions {
  readonly channels: readonly BaseChannel[];
  readonly decisions: DecisionPort;
  /** @default '127.0.0.1', behind a proxy or a tunnel */
  readonly host?: string | undefined;
  /** @default 0: any that is free */
  readonly port?: number | undefined;
  /** What stands before the channel's name. @default '/callbacks/' */
  readonly path?: string | undefined;
  /** Connections at once; further ones are dropped. @default 64 */
  readonly maxConnections?: number | undefined;
  /** Unix milliseconds. For tests. */
  readonly now?: (() => number) | undefined;
}

const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;

/** A listener for callbacks alone, for programs without the service: `POST /callbacks/<channel>`. */
export class CallbackServer {
  readonly #server: Server;
  readonly #options: CallbackServerOptions;
  readonly #refused: Record<string, number> = {};

  private constructor(options: CallbackServerOptions) {
    this.#options = options;
    this.#server = createServer(
      { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: 5_000, maxHeaderSize: 16 * 1024 },
      (request, response) => {
        this.#answer(request, response).catch(() => response.destroy());
      },
    );
    this.#server.maxConnections = options.maxConnections ?? 64;
  }

  /** Resolves when it listens. @throws ObserverError `HO_LISTEN_FAILED` */
  static async open(options: CallbackServerOptions): Promise<CallbackServer> {
    const opened = new CallbackServer(options);
    const host = options.host ?? '127.0.0.1';
    await new Promise<void>((resolve, reject) => {
      opened.#server.once('error', (cause) => {
        const text = `Cannot listen for callbacks on ${host}:${options.port ?? 0}: ${cause.message}.`;
        reject(new ObserverError('HO_LISTEN_FAILED', text, { cause }));
      });
      opened.#server.listen(options.port ?? 0, host, resolve);
    });
    return opened;
  }

  /** Address of the callbacks of a channel, on this machine. */
  urlOf(channel: string): string {
    const { address, port, family } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}${this.#path}${channel}`;
  }

  /** Callbacks that were not let through, by reason. */
  get refused(): Readonly<Record<string, number>> {
    return { ...this.#refused };
  }

  /** Ends connections too. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  get #path(): string {
    return this.#options.path ?? '/callbacks/';
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { channels, decisions, now = Date.now } = this.#options;
    const url = new URL(request.url ?? '/', 'http://callbacks');
    const name = url.pathname.startsWith(this.#path) ? url.pathname.slice(this.#path.length) : '';
    if (request.method !== 'POST') return respond(response, { status: 405, headers: { allow: 'POST' }, body: '' });
    const body = await bodyOf(request);
    if (body === undefined) {
      this.#count('the body is too large');
      return respond(response, { status: 413, headers: { connection: 'close' }, body: '' });
    }
    const callback = { body, headers: singleHeaders(request), query: Object.fromEntries(url.searchParams) };
    const onRefused = (_: string, why: string) => this.#count(why);
    respond(response, await handleCallback(channels, decisions, name, callback, now(), { onRefused }));
  }

  #count(why: string): void {
    this.#refused[why] = (this.#refused[why] ?? 0) + 1;
  }
}

/** One that is sent twice is a list, which no check takes. */
function singleHeaders({ headersDistinct }: IncomingMessage): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    headers[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  return headers;
}

/** `undefined`: it is too large; the rest of it is not read. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MOST_CALLBACK_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MOST_CALLBACK_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function respond(response: ServerResponse, { status, headers, body }: CallbackReply): void {
  response
    .writeHead(status, {
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(body);
}
