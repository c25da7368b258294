import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { JSON_ENCODING } from '../encoding/json-encoding.js';
import { PROTOBUF_ENCODING } from '../encoding/protobuf-encoding.js';

/** A backend that can go away and come back at its port, and remembers the names of spans in the order of their coming. */
export class Backend {
  readonly names: string[] = [];
  requests = 0;
  /** What it answers; 0: nothing. */
  status: number | ((names: readonly string[]) => number) = 200;
  #port = 0;
  #server: Server | undefined;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/v1/traces`;
  }

  async open(): Promise<this> {
    const server = createServer(async (request, response) => {
      const body = await buffer(request).catch(() => undefined);
      if (body === undefined) return;
      const isJson = request.headers['content-type'] === 'application/json';
      const encoding = isJson ? JSON_ENCODING : PROTOBUF_ENCODING;
      const names = encoding
        .spansOf(body)
        .map(({ arena, start, bytes }) => encoding.identity(arena.view(start, start + bytes)).name);
      this.requests++;
      const status = typeof this.status === 'function' ? this.status(names) : this.status;
      if (status === 0) return;
      if (status === 200) this.names.push(...names);
      response
        .writeHead(status, { 'content-type': String(request.headers['content-type']) })
        .end(isJson ? '{}' : undefined);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  /** Nobody listens any more. */
  async leave(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  }
}
