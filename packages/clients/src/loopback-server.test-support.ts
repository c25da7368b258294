import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server answers a request with: a status and a body, or pieces of a stream. */
export type Reply = (request: SentRequest, response: ServerResponse) => unknown;

export interface SentRequest {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly headers: IncomingMessage['headers'];
}

/** A server that answers each request with the next of its replies, the last one again and again. */
export class LoopbackServer {
  readonly requests: SentRequest[] = [];
  #replies: Reply[] = [];
  readonly #server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const sent = { path: request.url ?? '', headers: request.headers, body: text === '' ? {} : JSON.parse(text) };
    this.requests.push(sent);
    const reply = this.#replies.length > 1 ? this.#replies.shift() : this.#replies[0];
    response.on('error', () => {});
    await reply?.(sent, response);
  });

  answers(...replies: Reply[]): this {
    this.#replies = replies;
    this.requests.length = 0;
    return this;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const IDS = { 'request-id': 'req_1', 'x-request-id': 'req_1' };

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Reply =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...IDS, ...headers });
    response.end(JSON.stringify(body));
  };

/** An answer that says to try again, at once. */
export const unavailable = (status = 503, headers: Record<string, string> = { 'retry-after-ms': '1' }): Reply =>
  json({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }, status, headers);

interface SseOptions {
  /** Between events, in milliseconds. */
  readonly delay?: number;
  /** The connection breaks after the last event. */
  readonly breaks?: boolean;
}

/** Events of a stream. One with a `type` has it as name, as Anthropic and Responses have it; else the stream ends with `[DONE]`. */
export const sse =
  (events: readonly object[], { delay = 0, breaks = false }: SseOptions = {}): Reply =>
  async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...IDS });
    const isNamed = 'type' in (events[0] ?? {});
    for (const event of events) {
      if (response.destroyed) return;
      const name = isNamed ? `event: ${(event as { type: string }).type}\n` : '';
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    }
    if (breaks) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.destroy();
      return;
    }
    response.end(isNamed ? '' : 'data: [DONE]\n\n');
  };
