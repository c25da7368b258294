// A process of its own that takes spans over HTTP, and counts them. Started by `startSink`.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const script = fileURLToPath(import.meta.url);

/** Length-delimited fields of a protobuf message with this number. */
function* fieldsOf(message, wanted) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = number();
    const kind = tag & 7;
    if (kind === 0) number();
    else if (kind === 1) at += 8;
    else if (kind === 5) at += 4;
    else {
      const length = number();
      if (tag >>> 3 === wanted) yield message.subarray(at, at + length);
      at += length;
    }
  }
}

/** Spans of an OTLP request in protobuf: resource_spans 1, scope_spans 2, spans 2. */
function spansInProtobuf(body) {
  let count = 0;
  for (const resource of fieldsOf(body, 1)) {
    for (const scope of fieldsOf(resource, 2)) count += [...fieldsOf(scope, 2)].length;
  }
  return count;
}

/** Spans of an OTLP request in JSON, or of one in OpenAI's own form. */
function spansInJson(body) {
  const { resourceSpans, data = [] } = JSON.parse(String(body));
  if (resourceSpans === undefined) return data.filter(({ object }) => object === 'trace.span');
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

function serve() {
  const counts = { requests: 0, bytes: 0, spans: 0 };
  let kept = [];
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
      const isJson = /json/.test(request.headers['content-type'] ?? '');
      const spans = isJson ? spansInJson(body) : undefined;
      counts.requests++;
      counts.bytes += raw.length;
      counts.spans += spans?.length ?? spansInProtobuf(body);
      if (spans !== undefined) kept = spans;
      const type = isJson ? 'application/json' : 'application/x-protobuf';
      response.writeHead(200, { 'content-type': type }).end(isJson ? '{}' : undefined);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.on('message', () => {
    process.send({ ...counts, last: kept });
    Object.assign(counts, { requests: 0, bytes: 0, spans: 0 });
    kept = [];
  });
}

/** Starts one. `take()` gives what came since it was last asked: requests, bytes, spans, and `last`, JSON spans of the last request. */
export async function startSink() {
  const child = fork(script, ['--serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const [{ port }] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    async take() {
      child.send('take');
      const [counts] = await once(child, 'message');
      return counts;
    },
    close: () => child.kill(),
  };
}

if (process.argv[1] === script && process.argv[2] === '--serve') serve();
