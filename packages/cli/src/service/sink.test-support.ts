import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface SinkSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly parentSpanId?: string;
  readonly attributes: { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** What a sink does with a request. `undefined`: it takes it. */
export type Reaction = (
  request: {
    readonly spans: readonly SinkSpan[];
    readonly headers: IncomingMessage['headers'];
    readonly bytes: number;
  },
  response: ServerResponse,
) => 'handled' | undefined;

/** An OTLP/HTTP receiver that keeps the spans it took, by their ids. */
export class Sink {
  /** JSON of each span, all versions that came. */
  readonly spans = new Map<string, Set<string>>();
  requests = 0;
  taken = 0;
  react: Reaction = () => undefined;
  #server: Server | undefined;
  #port = 0;

  /** Listens again at the same port, if it was closed. */
  async open(): Promise<this> {
    const server = createServer((request, response) => void this.#serve(request, response));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/v1/traces`;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  /** All spans, each in the version that came, sorted. */
  sorted(): string[] {
    return [...this.spans.values()].flatMap((versions) => [...versions]).sort();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    this.requests++;
    const body = Buffer.concat(chunks);
    const spans = spansOf((request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString());
    if (this.react({ spans, headers: request.headers, bytes: body.length }, response) === 'handled') return;
    this.keep(spans);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }

  keep(spans: readonly SinkSpan[]): void {
    for (const span of spans) {
      const key = `${span.traceId}/${span.spanId}`;
      const versions = this.spans.get(key) ?? new Set();
      this.spans.set(key, versions.add(JSON.stringify(span)));
      this.taken++;
    }
  }
}

export function spansOf(body: string): SinkSpan[] {
  const { resourceSpans = [] } = JSON.parse(body) as {
    resourceSpans?: { scopeSpans?: { spans?: SinkSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans));
}
