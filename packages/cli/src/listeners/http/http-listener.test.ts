import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { ListenerLimits } from '../listener-context.js';
import { eventually, line, MemoryService, storeFull } from '../memory-service.test-support.js';
import { WebhookReceiver } from '../webhook/webhook-receiver.js';
import { HttpListener, type HttpOptions } from './http-listener.js';

const TOKEN = 'a-token-of-the-test';
const SECRET = 'a secret of the test';
const NDJSON = 'application/x-ndjson';

const ends: (() => void)[] = [];
const folder = mkdtempSync(join(tmpdir(), 'http-'));
afterAll(() => rmSync(folder, { recursive: true }));

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

interface Sent {
  readonly method?: string;
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
}

let receivers = 0;
async function receiver({ context }: MemoryService, keepsContent = true, file = join(folder, `${receivers++}`)) {
  const opened = await WebhookReceiver.open({ secret: SECRET, keepsContent, file }, context);
  ends.push(() => void opened.close());
  return opened;
}

async function open(limits: Partial<ListenerLimits> = {}, options: Partial<HttpOptions> = {}) {
  const service = new MemoryService(limits);
  const listener = await HttpListener.open(
    {
      host: '127.0.0.1',
      port: 0,
      token: TOKEN,
      allowedHosts: [],
      webhooks: await receiver(service),
      ...options,
    },
    service.context,
  );
  ends.push(() => {
    listener.stop();
    listener.closeConnections();
  });
  /** By hand, since `fetch` sets `Host` and `Origin` itself. */
  const send = (path: string, { method = 'POST', body = '', headers = {} }: Sent = {}) =>
    new Promise<{ status: number; text: string; json: () => Record<string, never>; headers: Record<string, unknown> }>(
      (resolve, reject) => {
        const all = { authorization: `Bearer ${TOKEN}`, 'content-type': NDJSON, ...headers };
        const sent = httpRequest(`${listener.url}${path}`, { method, headers: all, agent: false }, async (response) => {
          let text = '';
          for await (const chunk of response.setEncoding('utf8')) text += chunk;
          resolve({ status: response.statusCode ?? 0, text, json: () => JSON.parse(text), headers: response.headers });
        });
        sent.on('error', reject);
        sent.end(body);
      },
    );
  return { service, listener, send, get: (path: string, headers = {}) => send(path, { method: 'GET', headers }) };
}

describe('POST /v1/records', () => {
  it('takes good lines, names the others, and acknowledges', async () => {
    const { service, send } = await open();
    const { status, json } = await send('/v1/records', { body: `${line(1)}nonsense\n${line(2)}{"op":"ask"}\n` });
    expect([status, json()]).toEqual([
      200,
      {
        acks: [{ producer: 'p', seq: 2 }],
        records: 2,
        errors: [
          { line: 2, code: 'HO_RECORD_NOT_JSON', message: expect.any(String) },
          { line: 4, code: 'HO_REQUEST', message: expect.any(String) },
        ],
      },
    ]);
    expect(service.lines).toEqual([line(1).trimEnd(), line(2).trimEnd()]);
  });

  it('takes gzip, and says of anything else that it does not', async () => {
    const { service, send } = await open();
    const gzip = { 'content-encoding': 'gzip' };
    expect((await send('/v1/records', { body: gzipSync(line(1)), headers: gzip })).status).toBe(200);
    expect(service.lines).toHaveLength(1);
    expect((await send('/v1/records', { body: 'no gzip', headers: gzip })).status).toBe(400);
    expect((await send('/v1/records', { body: gzipSync(line(1)).subarray(0, 20), headers: gzip })).status).toBe(400);
    expect((await send('/v1/records', { body: 'x', headers: { 'content-encoding': 'br' } })).status).toBe(415);
    expect((await send('/v1/records', { body: 'x', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect(service.lines).toHaveLength(1);
  });

  it('answers after the sync', async () => {
    const { service, send } = await open();
    let release = () => {};
    service.hold = new Promise((resolve) => {
      release = resolve;
    });
    let isAnswered = false;
    const answer = send('/v1/records', { body: line(1) }).then((given) => {
      isAnswered = true;
      return given;
    });
    await eventually(() => service.heldBytes > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAnswered).toBe(false);
    release();
    expect((await answer).status).toBe(200);
  });

  it('takes nothing of a body over the limit, packed or not, told or not', async () => {
    const { service, send } = await open({ bodyBytes: 100_000 });
    const body = line(1, { text: 'x'.repeat(200_000) });
    const statuses = [
      await send('/v1/records', { body }),
      await send('/v1/records', { body, headers: { 'transfer-encoding': 'chunked' } }),
      await send('/v1/records', { body: gzipSync(line(1).repeat(5000)), headers: { 'content-encoding': 'gzip' } }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([413, 413, 413]);
    expect(service.lines).toEqual([]);
    expect(service.context.waiting.held).toBe(0);
  });

  it('says busy and stopping with when to come again', async () => {
    const { service, send } = await open();
    service.failure = storeFull();
    expect(await send('/v1/records', { body: line(1) })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
    });
    service.failure = undefined;
    service.isPaused = true;
    expect((await send('/v1/records', { body: line(1) })).status).toBe(503);
    service.isPaused = false;
    service.context.waiting.add(1024 * 1024 * 1024);
    expect(await send('/v1/records', { body: line(1) })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
    });
    service.context.waiting.give(1024 * 1024 * 1024);
    expect((await send('/v1/records', { body: line(1) })).status).toBe(200);
  });

  it('tells a client nothing of a fault in here', async () => {
    const { service, send } = await open();
    service.hold = Promise.reject(new Error('/secret/path'));
    service.hold.catch(() => {});
    const { status, text } = await send('/v1/records', { body: line(1) });
    expect([status, text.includes('secret')]).toEqual([500, false]);
    expect(service.faults).toMatchObject([{ code: 'HO_INTERNAL' }]);
  });
});

describe('other paths', () => {
  it('answer questions, and tell of the service', async () => {
    const { send, get } = await open();
    const asked = await send('/v1/ask', { body: '{"id":1,"hook":"pre_tool_call","payload":{}}' });
    expect(asked.json()).toMatchObject({ answer: 1, decision: 'allow' });
    expect((await send('/v1/ask', { body: '[]' })).status).toBe(400);
    expect((await get('/v1/status')).json()).toMatchObject({ protocol: 1, is_ready: true, producers: [] });
    expect([(await get('/nowhere')).status, (await get('/v1/records')).status]).toEqual([404, 405]);
  });

  it('tell whether it lives and whether it takes records', async () => {
    const { service, get } = await open();
    expect([(await get('/healthz')).status, (await get('/readyz')).status]).toEqual([200, 200]);
    service.isPaused = true;
    expect([(await get('/healthz')).status, (await get('/readyz')).status]).toEqual([200, 503]);
  });

  it('give figures in the text format of Prometheus', async () => {
    const { service, send, get } = await open();
    await send('/v1/records', { body: line(1) });
    const { text, headers } = await get('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toContain('# TYPE hermes_observer_records_total counter\nhermes_observer_records_total 1\n');
    await send('/nowhere');
    service.lines.push('another');
    const later = (await get('/metrics')).text;
    expect(later).toContain('hermes_observer_records_total 2\n');
    expect(later).toContain('hermes_observer_refused_requests_total{reason="HO_REQUEST"} 1\n');
    expect(later).toMatch(/# TYPE hermes_observer_http_connections gauge\nhermes_observer_http_connections \d+\n/);
  });
});

describe('who may', () => {
  it('asks for the token on every path but /healthz', async () => {
    const { service, send, get } = await open();
    for (const path of ['/v1/status', '/readyz', '/metrics', '/nowhere']) {
      expect([path, (await get(path, { authorization: '' })).status]).toEqual([path, 401]);
      expect([path, (await get(path, { authorization: `Bearer ${TOKEN}x` })).status]).toEqual([path, 401]);
    }
    for (const path of ['/v1/records', '/v1/ask']) {
      expect((await send(path, { body: line(1), headers: { authorization: 'Basic x' } })).status).toBe(401);
    }
    expect((await get('/healthz', { authorization: '' })).status).toBe(200);
    expect(service.lines).toEqual([]);
  });

  it('refuses hosts that are not its own, and pages of others', async () => {
    const { get } = await open({}, { allowedHosts: ['host.docker.internal'] });
    const status = async (headers: Record<string, string>) => (await get('/v1/status', headers)).status;
    for (const host of ['127.0.0.1:4890', 'localhost', '[::1]:1', 'LOCALHOST:80', 'host.docker.internal:4890']) {
      expect([host, await status({ host })]).toEqual([host, 200]);
    }
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', '10.0.0.1', 'a@localhost']) {
      expect([host, await status({ host })]).toEqual([host, 403]);
    }
    const host = 'localhost:4890';
    expect(await status({ host, origin: 'http://localhost:4890' })).toBe(200);
    for (const origin of ['http://evil.example', 'null', 'https://localhost:4890', 'http://localhost:3000']) {
      expect([origin, await status({ host, origin })]).toEqual([origin, 403]);
    }
  });
});

describe('hostile clients', () => {
  it('garbage is answered with 400, and a flood of connections makes room', async () => {
    const { listener, get } = await open({ connections: 20 });
    const port = Number(new URL(listener.url).port);
    const told = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('\0\x01garbage\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', () => {});
    });
    expect(told).toMatch(/^HTTP\/1.1 400 /);
    const idle = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    ends.push(() => {
      for (const socket of idle) socket.destroy();
    });
    expect((await get('/readyz')).status).toBe(200);
  });

  it('a client that takes its time with the headers is sent away', async () => {
    const { listener, service } = await open();
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1', () =>
      socket.write('POST /v1/records HTTP/1.1\r\nHo'),
    );
    socket.on('error', () => {});
    const began = Date.now();
    await new Promise((resolve) => socket.on('data', () => {}).on('close', resolve));
    expect(Date.now() - began).toBeLessThan(15_000);
    expect(service.lines).toEqual([]);
  });

  it('a client that leaves in the middle of a body leaves nothing behind', async () => {
    const { service, listener } = await open();
    const port = Number(new URL(listener.url).port);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const head = `POST /v1/records HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 9999\r\n\r\n`;
    socket.write(head + line(1));
    await eventually(() => service.context.waiting.held > 0);
    socket.destroy();
    await eventually(() => service.context.waiting.held === 0);
    expect([service.lines, service.faults]).toEqual([[], []]);
  });
});

describe('POST /hooks/hermes', () => {
  const body = (more: object = {}) =>
    JSON.stringify({
      hook_event_name: 'post_tool_call',
      tool_name: 'terminal',
      tool_input: { command: 'ls' },
      session_id: 's1',
      cwd: '/home/me',
      extra: { tool_call_id: 'c1', status: 'ok', duration_ms: 3, conversation_history: ['long'] },
      delivery_id: 'd1',
      timestamp: new Date().toISOString(),
      profile: 'main',
      ...more,
    });
  const sign = (text: string, secret = SECRET) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  const post = (text: string, signature = sign(text)): Sent => ({
    body: text,
    headers: { authorization: '', 'content-type': 'application/json', 'x-hermes-signature-256': signature },
  });

  it('takes a signed call as a record, without the token', async () => {
    const { service, send } = await open({}, {});
    const { status, json } = await send('/hooks/hermes', post(body({ timestamp: '2026-11-30T00:00:00.5Z' })));
    expect([status, json()]).toMatchObject([403, { error: { code: 'HO_REQUEST_FORBIDDEN' } }]);
    const timestamp = new Date().toISOString().replace(/\.\d+Z/, '.250Z');
    expect((await send('/hooks/hermes', post(body({ timestamp })))).json()).toEqual({ records: 1 });
    expect(JSON.parse(service.lines[0] ?? '')).toEqual({
      hook: 'post_tool_call',
      time_unix_nano: `${Date.parse(timestamp)}000000`,
      payload: {
        tool_call_id: 'c1',
        status: 'ok',
        duration_ms: 3,
        tool_name: 'terminal',
        args: { command: 'ls' },
        cwd: '/home/me',
        session_id: 's1',
      },
      profile: 'main',
    });
  });

  it('keeps no content where none is wanted', async () => {
    const service = new MemoryService();
    const { send } = await open({}, { webhooks: await receiver(service, false) });
    await send('/hooks/hermes', post(body()));
    expect(JSON.parse(service.lines[0] ?? '').payload).toEqual({
      tool_call_id: 'c1',
      status: 'ok',
      duration_ms: 3,
      tool_name: 'terminal',
      session_id: 's1',
    });
  });

  it('takes a delivery once, also over a restart, and what could not be noted is said and not lost', async () => {
    const file = join(folder, 'over-a-restart');
    const service = new MemoryService();
    const before = await open({}, { webhooks: await receiver(service, true, file) });
    const first = post(body());
    expect((await before.send('/hooks/hermes', first)).json()).toEqual({ records: 1 });
    service.failure = storeFull();
    const refused = post(body({ delivery_id: 'd2' }));
    expect((await before.send('/hooks/hermes', refused)).status).toBe(503);
    const again = new MemoryService();
    const after = await open({}, { webhooks: await receiver(again, true, file) });
    expect((await after.send('/hooks/hermes', first)).json()).toEqual({ records: 0, repeated: true });
    expect((await after.send('/hooks/hermes', refused)).json()).toEqual({ records: 1 });
    expect(again.lines).toHaveLength(1);
    const nowhere = new MemoryService();
    const { send } = await open({}, { webhooks: await receiver(nowhere, true, join(folder, 'no', 'folder')) });
    for (const id of ['d3', 'd4']) {
      expect((await send('/hooks/hermes', post(body({ delivery_id: id })))).json()).toEqual({ records: 1 });
    }
    expect(nowhere.faults.map(({ code }) => code)).toEqual(['HO_STORE_FAILED']);
  });

  it('takes each delivery once, and again if it could not be kept', async () => {
    const { service, send } = await open();
    service.failure = storeFull();
    expect((await send('/hooks/hermes', post(body()))).status).toBe(503);
    service.failure = undefined;
    expect((await send('/hooks/hermes', post(body()))).json()).toEqual({ records: 1 });
    expect((await send('/hooks/hermes', post(body()))).json()).toEqual({ records: 0, repeated: true });
    expect(service.lines).toHaveLength(1);
  });

  it('refuses what is not signed, signed by another, or changed', async () => {
    const { service, send } = await open();
    const text = body();
    for (const signature of [
      '',
      sign(text, 'another secret here'),
      sign(text).slice(7),
      sign(`${text} `),
      'sha256=zz',
    ]) {
      expect([signature, (await send('/hooks/hermes', post(text, signature))).status]).toEqual([signature, 401]);
    }
    expect((await send('/hooks/hermes', post('{}'))).status).toBe(400);
    expect(service.lines).toEqual([]);
  });

  it('does not exist without a secret', async () => {
    const { send } = await open({}, { webhooks: undefined });
    expect((await send('/hooks/hermes', post(body()))).status).toBe(401);
    expect((await send('/hooks/hermes')).status).toBe(404);
  });
});

it('a port that is taken is named', async () => {
  const { listener } = await open();
  const port = Number(new URL(listener.url).port);
  await expect(open({}, { port })).rejects.toMatchObject({
    code: 'HO_LISTEN_FAILED',
    message: `cannot listen on 127.0.0.1:${port}: EADDRINUSE; end what listens there, or set http.port`,
  });
});
