// A process of its own that takes requests over HTTP as fast as it can, and looks what is in them only when it is asked.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { JSON_ENCODING, PROTOBUF_ENCODING } from '@hermes-observer/otel';
import { startSinkProcess } from './sink-process.mjs';

const script = fileURLToPath(import.meta.url);

function serve() {
  let requests = [];
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const isJson = request.headers['content-type'] === 'application/json';
      // Metrics and logs are answered like spans, and not counted.
      const isSpans = request.url.endsWith('/v1/traces');
      if (isSpans) requests.push({ body: Buffer.concat(chunks), encoding: isJson ? JSON_ENCODING : PROTOBUF_ENCODING });
      response.writeHead(200, { 'content-type': request.headers['content-type'] }).end(isJson ? '{}' : undefined);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.on('message', () => {
    let [spans, bytes] = [0, 0];
    for (const { body, encoding } of requests) {
      spans += encoding.spansOf(body).length;
      bytes += body.length;
    }
    process.send({ requests: requests.length, bytes, spans });
    requests = [];
  });
}

/** Starts one. `take()` gives what came since it was last asked: requests, bytes, spans. */
export const startByteSink = () => startSinkProcess(script);

if (process.argv[1] === script && process.argv[2] === '--serve') serve();
