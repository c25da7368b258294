// A process of its own that takes spans over HTTP, and counts them. Started by `startSink`.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { fieldsOf } from '../protobuf-fields.mjs';
import { startSinkProcess } from '../sink-process.mjs';

const script = fileURLToPath(import.meta.url);

/** Names of the spans of an OTLP request in protobuf: resource_spans 1, scope_spans 2, spans 2, name 5. */
function namesInProtobuf(body) {
  const names = [];
  for (const resource of fieldsOf(body, 1)) {
    for (const scope of fieldsOf(resource, 2)) {
      for (const span of fieldsOf(scope, 2)) names.push(String([...fieldsOf(span, 5)][0]));
    }
  }
  return names;
}

/** Spans of an OTLP request in JSON, or of one in OpenAI's own form. */
function spansInJson(body) {
  const { resourceSpans, data = [] } = JSON.parse(String(body));
  if (resourceSpans === undefined) return data.filter(({ object }) => object === 'trace.span');
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

function serve() {
  const counts = { requests: 0, bytes: 0, spans: 0 };
  let names = {};
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
      const these = spans?.map(({ name, span_data }) => name ?? span_data?.type) ?? namesInProtobuf(body);
      counts.spans += these.length;
      for (const name of these) names[name] = (names[name] ?? 0) + 1;
      if (spans !== undefined) kept = spans;
      const type = isJson ? 'application/json' : 'application/x-protobuf';
      response.writeHead(200, { 'content-type': type }).end(isJson ? '{}' : undefined);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.on('message', () => {
    process.send({ ...counts, names, last: kept });
    Object.assign(counts, { requests: 0, bytes: 0, spans: 0 });
    names = {};
    kept = [];
  });
}

/**
 * Starts one. `take()` gives what came since it was last asked: requests, bytes, spans, how
 * often each name, and `last`, JSON spans of the last request.
 */
export const startSink = () => startSinkProcess(script);

if (process.argv[1] === script && process.argv[2] === '--serve') serve();
