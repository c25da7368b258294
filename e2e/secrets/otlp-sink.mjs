import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** A backend that takes OTLP over HTTP and keeps all bytes it got: paths, headers and bodies, unpacked. */
export class OtlpSink {
  #server;
  #parts = [];

  /** The address for exporters. */
  async open() {
    this.#server = createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const head = Buffer.from(`${request.url} ${JSON.stringify(request.headers)}\n`);
        this.#parts.push(head, request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#server.address().port}/v1/traces`;
  }

  /** All so far. */
  bytes() {
    return Buffer.concat(this.#parts);
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
