// An OTLP/HTTP receiver that keeps of each span a digest of every version that came, and is away now and then.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

export const digest = (text) => createHash('sha1').update(text).digest('base64');

export function spansOf(body) {
  return (JSON.parse(body).resourceSpans ?? []).flatMap(({ scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) => spans),
  );
}

export class SpanSink {
  versions = new Map();
  taken = 0;
  refused = 0;
  isAway = false;
  /** Told of each request, with its spans; true: it has answered by itself, and nothing was taken. */
  react = () => false;
  #port = 0;
  lastAt = performance.now();

  /** What of a span must be the same whenever it comes. */
  versionOf(span) {
    return digest(JSON.stringify(span));
  }

  async open() {
    this.server = createServer(async (request, response) => {
      const chunks = [];
      try {
        for await (const chunk of request) chunks.push(chunk);
      } catch {
        return;
      }
      if (this.isAway) {
        this.refused++;
        response.writeHead(503, { 'retry-after': '1' }).end();
        return;
      }
      this.lastAt = performance.now();
      const spans = spansOf(Buffer.concat(chunks).toString());
      if (this.react(spans, response)) return;
      for (const span of spans) {
        this.taken++;
        const key = `${span.traceId}/${span.spanId}`;
        const version = this.versionOf(span);
        const known = this.versions.get(key);
        if (known === undefined) this.versions.set(key, version);
        else if (known !== version) this.versions.set(key, `${known} ${version}`);
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }).listen(this.#port, '127.0.0.1');
    await once(this.server, 'listening');
    // At the same port, if it is opened again.
    this.#port = this.server.address().port;
    return `http://127.0.0.1:${this.server.address().port}/v1/traces`;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
