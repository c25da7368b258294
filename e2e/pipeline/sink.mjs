// A backend in a process of its own, which answers late and remembers the names of the spans it got.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { fieldsOf } from '../../bench/protobuf-fields.mjs';

const script = fileURLToPath(import.meta.url);
const SPAN_NAME = 5;

/** Names in a request: resource_spans 1, scope_spans 2, spans 2. */
function* namesInProtobuf(body) {
  for (const resource of fieldsOf(body, 1)) {
    for (const scope of fieldsOf(resource, 2)) {
      for (const span of fieldsOf(scope, 2)) for (const name of fieldsOf(span, SPAN_NAME)) yield name.toString();
    }
  }
}

function* namesInJson(body) {
  for (const { scopeSpans } of JSON.parse(String(body)).resourceSpans) {
    for (const { spans } of scopeSpans) for (const { name } of spans) yield name;
  }
}

function serve(port, delayMillis) {
  const times = new Map();
  let requests = 0;
  let largest = 0;
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const isJson = /json/.test(request.headers['content-type'] ?? '');
      requests++;
      largest = Math.max(largest, body.length);
      for (const name of isJson ? namesInJson(body) : namesInProtobuf(body))
        times.set(name, (times.get(name) ?? 0) + 1);
      const answer = () => response.writeHead(200, { 'content-type': request.headers['content-type'] });
      setTimeout(() => answer().end(isJson ? '{}' : undefined), delayMillis);
    });
  });
  server.listen(port, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.on('message', () => {
    const numbers = [...times.keys()].map((name) => Number(name.split(' ')[1]));
    const twice = [...times.values()].filter((count) => count > 1).length;
    const isInOrder = numbers.every((number, i) => i === 0 || number > numbers[i - 1]);
    process.send({ requests, largest, spans: times.size, twice, isInOrder });
  });
}

export class Sink {
  #child;

  /** @param {{ port?: number, delayMillis?: number }} options port 0: any */
  static async start({ port = 0, delayMillis = 0 } = {}) {
    const sink = new Sink();
    const args = ['--serve', String(port), String(delayMillis)];
    sink.#child = fork(script, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    [{ port: sink.port }] = await once(sink.#child, 'message');
    return sink;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** So far: requests, bytes of the largest, different spans, those that came twice, whether they came in order. */
  async counts() {
    this.#child.send('counts');
    const [counts] = await once(this.#child, 'message');
    return counts;
  }

  close() {
    this.#child.kill('SIGKILL');
  }
}

if (process.argv[1] === script && process.argv[2] === '--serve')
  serve(Number(process.argv[3]), Number(process.argv[4]));
