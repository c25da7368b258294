// Stands before a receiver, and notes every request as it came.
import { once } from 'node:events';
import { createServer, request } from 'node:http';

export class Tee {
  /** Of OTLP: what has to be said of the body, and its bytes. */
  requests = [];
  #server;

  /** @param url of the receiver, whose answers are given back as they are */
  static async open(url) {
    const tee = new Tee();
    const { hostname, port } = new URL(url);
    tee.#server = createServer(async (incoming, answer) => {
      const chunks = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      const { 'content-type': type, 'content-encoding': encoding } = incoming.headers;
      tee.requests.push({ headers: { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) }, body });
      const { host: _, ...headers } = incoming.headers;
      const onwards = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (given) => {
        answer.writeHead(given.statusCode, given.headers);
        given.pipe(answer);
      });
      onwards.on('error', () => answer.destroy());
      onwards.end(body);
    });
    await once(tee.#server.listen(0, '127.0.0.1'), 'listening');
    return tee;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  async close() {
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }
}
