import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { afterEach, describe, expect, it } from 'vitest';
import type { Encoding } from '../encoding/encoding.js';
import { JSON_ENCODING } from '../encoding/json-encoding.js';
import { PROTOBUF_ENCODING } from '../encoding/protobuf-encoding.js';
import type { HttpSettings } from './http-settings.js';
import { HttpTarget } from './http-target.js';
import { CA, CLIENT_CERT, CLIENT_KEY, SERVER_CERT, SERVER_KEY } from './tls.test-support.js';

const servers: Server[] = [];
const targets: HttpTarget[] = [];
afterEach(async () => {
  for (const target of targets.splice(0)) await target.close();
  for (const server of servers.splice(0)) {
    (server as Server & { closeAllConnections(): void }).closeAllConnections();
    server.close();
  }
});

interface Seen {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}
type Answer = (response: ServerResponse, count: number) => void;

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function answering(answer: Answer) {
  const seen: Seen[] = [];
  const listener: RequestListener = async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    seen.push({ headers: request.headers, body });
    answer(response, seen.length);
  };
  return { seen, listener };
}

/** A receiver, and what sends to it. */
async function pair(answer: Answer, settings: Partial<HttpSettings> = {}) {
  const { seen, listener } = answering(answer);
  const port = await listen(createServer(listener));
  const target = new HttpTarget({ url: `http://127.0.0.1:${port}/v1/traces`, timeoutMillis: 2_000, ...settings });
  targets.push(target);
  const send = (encoding: Encoding = PROTOBUF_ENCODING, signal = new AbortController().signal) =>
    target.send(Buffer.from('the body'), signal, encoding);
  return { seen, send, target, port };
}

const end = (status: number, body: string | Uint8Array = '', headers: Record<string, string> = {}): Answer => {
  return (response) => void response.writeHead(status, headers).end(body);
};
const taken = { kind: 'taken', rejected: 0, message: '' };

describe('a request', () => {
  it('has its form, its length, and the headers that were given', async () => {
    const { seen, send } = await pair(end(200), {
      headers: { authorization: 'Bearer x', 'content-type': 'text/plain' },
    });
    expect(await send()).toEqual(taken);
    await send(JSON_ENCODING);
    expect(seen[0]?.headers).toMatchObject({
      'content-type': 'application/x-protobuf',
      'content-length': '8',
      authorization: 'Bearer x',
      'user-agent': 'hermes-observer',
    });
    expect(seen[1]?.headers['content-type']).toBe('application/json');
    expect(seen.map(({ body }) => String(body))).toEqual(['the body', 'the body']);
  });

  it('is compressed where that is asked for', async () => {
    const { seen, send } = await pair(end(200), { compression: 'gzip' });
    await send();
    expect(seen[0]?.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': `${seen[0]?.body.length}` });
    expect(String(gunzipSync(seen[0]?.body as Buffer))).toBe('the body');
  });

  it('goes over the connection of the one before', async () => {
    const ports = new Set<number | undefined>();
    const { send } = await pair((response) => {
      ports.add(response.req.socket.remotePort);
      response.writeHead(200).end();
    });
    for (let i = 0; i < 3; i++) await send();
    expect(ports.size).toBe(1);
  });

  it('is sent again at once where a kept connection was closed meanwhile', async () => {
    const { seen, send } = await pair((response, count) => {
      if (count === 2) response.req.socket.resetAndDestroy();
      else response.writeHead(200).end();
    });
    await send();
    expect(await send()).toEqual(taken);
    expect(seen).toHaveLength(3);
  });

  it('is not sent again where a new connection breaks', async () => {
    const { seen, send } = await pair((response) => void response.req.socket.resetAndDestroy());
    expect(await send()).toMatchObject({ kind: 'unreachable', reason: expect.stringMatching(/hang up|ECONNRESET/) });
    expect(seen).toHaveLength(1);
  });

  it('ends with its signal', async () => {
    const { send } = await pair(() => {});
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const began = performance.now();
    expect((await send(PROTOBUF_ENCODING, stop.signal)).kind).toBe('unreachable');
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('meets nobody', async () => {
    const { target, port } = await pair(end(200));
    servers.splice(0).forEach((server) => void server.close());
    await new Promise((resolve) => setTimeout(resolve, 20));
    const sent = await target.send(Buffer.from('x'), new AbortController().signal, PROTOBUF_ENCODING);
    expect(sent).toEqual({ kind: 'unreachable', reason: expect.stringContaining(`ECONNREFUSED 127.0.0.1:${port}`) });
  });
});

describe('time', () => {
  it.each<[string, Answer]>([
    ['no answer', () => {}],
    [
      'a body that comes byte by byte',
      (response) => {
        response.writeHead(200).write('{');
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('ends %s', async (_name, answer) => {
    const { send } = await pair(answer, { timeoutMillis: 150 });
    const began = performance.now();
    expect(await send()).toEqual({ kind: 'unreachable', reason: 'no answer in 150 ms' });
    expect(performance.now() - began).toBeLessThan(1_500);
  });
});

it('an answer that came while the program was busy counts', async () => {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
    require('node:http').createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(200).end());
    }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });`,
    { eval: true },
  );
  try {
    const [port] = await once(worker, 'message');
    const target = new HttpTarget({ url: `http://127.0.0.1:${port}/`, timeoutMillis: 200 });
    targets.push(target);
    const sending = () => target.send(Buffer.from('x'), new AbortController().signal, PROTOBUF_ENCODING);
    expect(await sending()).toEqual(taken);
    const sent = sending();
    // Behind this come the timers, before anything is read.
    await new Promise((resolve) => setImmediate(resolve));
    const end = performance.now() + 500;
    while (performance.now() < end);
    expect(await sent).toEqual(taken);
  } finally {
    await worker.terminate();
  }
});

describe('an answer', () => {
  const response = (rejectedSpans: number, errorMessage: string) => ({
    partialSuccess: { rejectedSpans, errorMessage },
  });
  /** A varint and a text, in a message, in a message. */
  const inProtobuf = (rejected: number, message: string) => {
    const inner = [0x08, rejected, 0x12, message.length, ...Buffer.from(message)];
    return Uint8Array.of(0x0a, inner.length, ...inner);
  };

  it('in protobuf is read as the standard reads it', async () => {
    const body = inProtobuf(3, 'too old');
    expect(ProtobufTraceSerializer.deserializeResponse(body)).toMatchObject(response(3, 'too old'));
    const { send } = await pair(end(200, body, { 'content-type': 'application/x-protobuf' }));
    expect(await send()).toEqual({ kind: 'taken', rejected: 3, message: 'too old' });
  });

  it('in JSON is read whatever was sent', async () => {
    const body = JSON.stringify(response(2, 'no'));
    expect(JsonTraceSerializer.deserializeResponse(Buffer.from(body))).toMatchObject(response(2, 'no'));
    const { send } = await pair(end(200, body, { 'content-type': 'application/json' }));
    for (const encoding of [PROTOBUF_ENCODING, JSON_ENCODING]) {
      expect(await send(encoding)).toEqual({ kind: 'taken', rejected: 2, message: 'no' });
    }
  });

  it.each([PROTOBUF_ENCODING, JSON_ENCODING])('without a body is good for $name', async (encoding) => {
    const { send } = await pair(end(200));
    expect(await send(encoding)).toEqual(taken);
  });

  it.each([
    ['a page', '<!doctype html><title>Login</title>', 'text/html; charset=utf-8'],
    ['a page without a type', '<!doctype html>', ''],
    ['a text', 'OK', 'text/plain'],
  ])('that is %s confirms nothing', async (_name, body, type) => {
    const { send } = await pair(end(200, body, type === '' ? {} : { 'content-type': type }));
    for (const encoding of [PROTOBUF_ENCODING, JSON_ENCODING]) {
      expect(await send(encoding)).toMatchObject({ kind: 'unreachable', isFault: true });
    }
  });

  it('that is endless is bounded', async () => {
    const { send } = await pair((one) => {
      one.writeHead(200, { 'content-type': 'application/json' });
      // All of it would be an answer.
      one.end(`${' '.repeat(3 * 1024 * 1024)}{}`);
    });
    expect((await send(JSON_ENCODING)).kind).toBe('unreachable');
  });

  it.each([400, 413, 500, 501])('of %i is a refusal for good', async (status) => {
    const { send } = await pair(end(status, '{"message":"bad span"}'));
    expect(await send()).toEqual({ kind: 'refused', status, reason: `bad span (HTTP ${status})` });
  });

  it('of a refusal in protobuf says its reason too', async () => {
    const status = Uint8Array.of(0x08, 3, 0x12, 8, ...Buffer.from('bad span'));
    const { send } = await pair(end(400, status, { 'content-type': 'application/x-protobuf' }));
    expect(await send()).toMatchObject({ reason: 'bad span (HTTP 400)' });
  });

  it.each([401, 403, 404, 301])('of %i is a fault that somebody has to mend', async (status) => {
    const { send } = await pair(end(status));
    expect(await send()).toMatchObject({ kind: 'unreachable', isFault: true });
  });

  it.each([
    [429, { 'retry-after': '7' }, 7_000],
    [503, { 'retry-after': ' 0 ' }, 0],
    [503, { 'retry-after': 'Mon, 30 Nov 2026 10:00:05 GMT', date: 'Mon, 30 Nov 2026 10:00:00 GMT' }, 5_000],
    [502, { 'retry-after': 'Mon, 30 Nov 2026 09:00:00 GMT', date: 'Mon, 30 Nov 2026 10:00:00 GMT' }, 0],
    [504, { 'retry-after': 'soon' }, undefined],
    [408, {}, undefined],
  ])('of %i with %j asks for the same again', async (status, headers, waitMillis) => {
    const { send } = await pair(end(status, '', headers));
    const sent = await send();
    expect(sent).toMatchObject({ kind: 'unreachable', reason: expect.stringMatching(/^asks to try again: /) });
    expect((sent as { waitMillis?: number }).waitMillis).toBe(waitMillis);
  });
});

describe('TLS', () => {
  async function secure(settings: Partial<HttpSettings>, requestCert = false) {
    const { seen, listener } = answering(end(200));
    const options = { cert: SERVER_CERT, key: SERVER_KEY, ca: CA, requestCert, rejectUnauthorized: requestCert };
    const port = await listen(createTlsServer(options, listener));
    const target = new HttpTarget({ url: `https://localhost:${port}/v1/traces`, timeoutMillis: 2_000, ...settings });
    targets.push(target);
    return { seen, sent: await target.send(Buffer.from('x'), new AbortController().signal, PROTOBUF_ENCODING) };
  }

  it('trusts the authority given', async () => {
    expect((await secure({ ca: CA })).sent).toEqual(taken);
  });

  it('trusts no other', async () => {
    const { sent, seen } = await secure({});
    expect(sent).toMatchObject({ kind: 'unreachable', reason: expect.stringContaining('certificate') });
    expect(seen).toEqual([]);
  });

  it('shows the certificate of the client where it is asked for', async () => {
    expect((await secure({ ca: CA, cert: CLIENT_CERT, key: CLIENT_KEY }, true)).sent).toEqual(taken);
    expect((await secure({ ca: CA }, true)).sent.kind).toBe('unreachable');
  });
});
