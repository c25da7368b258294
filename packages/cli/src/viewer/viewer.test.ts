import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { HttpListener } from '../listeners/http/http-listener.js';
import { eventually, MemoryService } from '../listeners/memory-service.test-support.js';
import { Receiver } from '../receiver/receive-route.js';
import { TraceStore } from '../traces/trace-store.js';
import { Api } from './api.js';
import { ForgottenSessions } from './forgotten-sessions.js';
import { CONTENT_SECURITY_POLICY } from './page-headers.js';
import { StaticFiles } from './static-files.js';
import { ViewerRoutes } from './viewer-routes.js';

const TOKEN = 'a-token-of-the-test';
const BEARER = { authorization: `Bearer ${TOKEN}` };
const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
mkdirSync(join(folder, 'page/assets'), { recursive: true });
writeFileSync(join(folder, 'page/index.html'), '<!doctype html><title>page</title>');
writeFileSync(join(folder, 'page/assets/main-3fA9_x2b.js'), 'export {};');
writeFileSync(join(folder, 'secret.txt'), 'not for you');
afterAll(() => rmSync(folder, { recursive: true }));

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly json: () => never;
}

async function open({ waitingBytes = 2 ** 28 } = {}) {
  const service = new MemoryService({ waitingBytes });
  const store = new TraceStore();
  const api = new Api({
    store,
    forgotten: new ForgottenSessions(join(folder, 'deleted')),
    health: () => ({ version: 'x' }),
  });
  const routes = new ViewerRoutes({
    store,
    api,
    files: new StaticFiles(join(folder, 'page')),
    receiver: new Receiver(store, service.context),
  });
  const listener = await HttpListener.open(
    { host: '127.0.0.1', port: 0, token: TOKEN, allowedHosts: [], webhooks: undefined, further: routes },
    service.context,
  );
  ends.push(() => {
    listener.stop();
    listener.closeConnections();
  });
  const send = (method: string, path: string, headers: Record<string, string> = {}, body: string | Buffer = '') =>
    new Promise<Reply>((resolve, reject) => {
      const { port } = new URL(listener.url);
      // By hand: `fetch` would tidy the path up.
      const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const whole = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: whole,
          json: () => JSON.parse(whole.toString()) as never,
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const get = (path: string, headers: Record<string, string> = {}) => send('GET', path, headers);
  const login = async () => {
    const { headers } = await get(`/?token=${TOKEN}`);
    return { cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0] as string };
  };
  const post = (value: unknown, headers = {}) =>
    send(
      'POST',
      '/v1/traces',
      { ...BEARER, 'content-type': 'application/json', ...headers },
      typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value),
    );
  return { service, store, listener, send, get, login, post };
}

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const request = (id: number, more = {}) => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', 'other')] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: id.toString(16).padStart(32, '0'),
              spanId: id.toString(16).padStart(16, '0'),
              name: `span ${id}`,
              startTimeUnixNano: `${1_800_000_000 + id}000000000`,
              endTimeUnixNano: `${1_800_000_100 + id}000000000`,
              attributes: [attribute('gen_ai.conversation.id', `session ${id}`)],
              ...more,
            },
          ],
        },
      ],
    },
  ],
});
const traceOf = (id: number) => id.toString(16).padStart(32, '0');

describe('who may look', () => {
  it('shows the token once, gets a cookie that is not the token, and an address without it', async () => {
    const { get, login } = await open();
    const { status, headers } = await get(`/?token=${TOKEN}`);
    expect([status, headers.location]).toEqual([303, '/']);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^hermes_observer=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/),
    ]);
    expect(JSON.stringify(headers)).not.toContain(TOKEN);
    const cookie = await login();
    for (const path of [
      '/',
      '/turn/abc',
      '/turn/abc/def',
      '/health',
      '/assets/main-3fA9_x2b.js',
      '/api/turns',
      '/api/health',
    ]) {
      const answer = await get(path, cookie);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.body.toString()).not.toContain(TOKEN);
      expect((await get(path, BEARER)).status).toBe(200);
    }
  });

  it('is nobody without one, and a person is told what to do', async () => {
    const { get, send } = await open();
    const wrong = [
      {},
      { cookie: 'hermes_observer=guess' },
      { cookie: `hermes_observer=${TOKEN}` },
      { authorization: 'Bearer wrong' },
    ] as Record<string, string>[];
    for (const headers of wrong) {
      for (const path of [
        '/',
        '/?token=wrong',
        '/turn/x',
        '/assets/main-3fA9_x2b.js',
        '/assets/nothing.js',
        '/api/turns',
        '/api/live',
        '/api/nothing',
        `/api/turns?token=${TOKEN}`,
      ]) {
        expect([path, (await get(path, headers)).status]).toEqual([path, 401]);
      }
      expect((await send('DELETE', '/api/sessions/s', headers)).status).toBe(401);
      expect((await send('POST', '/v1/traces', { 'content-type': 'application/json', ...headers }, '{}')).status).toBe(
        401,
      );
    }
    const page = await get('/', { accept: 'text/html' });
    expect([page.status, page.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    expect(page.body.toString()).toContain('<code>hermes-observer view</code>');
    expect(page.body.toString()).not.toMatch(/<script|<style|style=|onload/);
  });

  it('may read with the cookie, delete with it from its own page alone, and write with the token alone', async () => {
    const { send, login, listener, store, post } = await open();
    const cookie = await login();
    await post(request(1));
    const origin = new URL(listener.url).origin;
    expect((await send('DELETE', '/api/sessions/session%201', cookie)).status).toBe(401);
    expect(
      (await send('DELETE', '/api/sessions/session%201', { ...cookie, origin: 'http://evil.example' })).status,
    ).toBe(403);
    expect(
      (await send('DELETE', '/api/sessions/session%201', { ...cookie, origin, 'sec-fetch-site': 'same-site' })).status,
    ).toBe(401);
    expect(store.traces).toBe(1);
    expect(
      (
        await send(
          'POST',
          '/v1/traces',
          { ...cookie, origin, 'content-type': 'application/json' },
          JSON.stringify(request(2)),
        )
      ).status,
    ).toBe(401);
    expect((await send('POST', '/v1/records', { ...cookie, origin })).status).toBe(401);
    const gone = await send('DELETE', '/api/sessions/session%201', {
      ...cookie,
      origin,
      'sec-fetch-site': 'same-origin',
    });
    expect([gone.status, gone.json(), store.traces]).toEqual([200, { turns: 1 }, 0]);
    expect(new ForgottenSessions(join(folder, 'deleted')).has('session 1')).toBe(true);
  });

  it('is no page of another site, whatever name it gives this machine', async () => {
    const { get, login } = await open();
    const cookie = await login();
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost@evil.example']) {
      expect((await get('/api/turns', { ...cookie, host })).status).toBe(403);
      expect((await get(`/?token=${TOKEN}`, { host })).headers['set-cookie']).toBeUndefined();
    }
    expect((await get('/api/turns', { ...cookie, origin: 'http://localhost:1' })).status).toBe(403);
    expect((await get('/api/turns', { ...cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(401);
    const { headers } = await get('/api/turns', cookie);
    expect([headers['access-control-allow-origin'], headers['cross-origin-resource-policy']]).toEqual([
      undefined,
      'same-origin',
    ]);
  });

  it('gets the policy on every answer, whatever it is', async () => {
    const { get, send, login, post } = await open();
    const cookie = await login();
    const answers = [
      await get('/'),
      await get('/', cookie),
      await get('/', { accept: 'text/html' }),
      await get(`/?token=${TOKEN}`),
      await get('/api/turns', cookie),
      await get('/api/turns/none', cookie),
      await get('/api/nothing', cookie),
      await get('/nowhere', cookie),
      await get('/assets/main-3fA9_x2b.js', cookie),
      await get('/healthz'),
      await get('/api/turns', { host: 'evil.example' }),
      await send('PUT', '/', cookie),
      await send('POST', '/api/turns', cookie),
      await post(request(1)),
      await post('nonsense'),
      await get('/v1/status', BEARER),
    ];
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
      expect([headers['x-content-type-options'], headers['referrer-policy']]).toEqual(['nosniff', 'no-referrer']);
    }
    expect(CONTENT_SECURITY_POLICY).not.toContain('unsafe');
    expect((await get('/api/turns', cookie)).headers['cache-control']).toBe('no-store');
    expect((await get('/assets/main-3fA9_x2b.js', cookie)).headers['cache-control']).toContain('immutable');
    expect((await get('/', cookie)).headers['cache-control']).toBe('no-store');
  });

  it('gets no file that is not of the page', async () => {
    const { get } = await open();
    for (const path of [
      '/../secret.txt',
      '/assets/../../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets/..%5c..%5csecret.txt',
      '//secret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      '/assets/main-3fA9_x2b.js%00.txt',
      '/assets/',
      '/assets',
      '/index.html/',
      '/etc/passwd',
      '/turn/../../secret.txt/x/y',
    ]) {
      const { status, body } = await get(path, BEARER);
      expect([path, status]).toEqual([path, 404]);
      expect(body.toString()).not.toContain('not for you');
    }
  });

  it('may use no other method', async () => {
    const { send } = await open();
    for (const [method, path] of [
      ['PUT', '/'],
      ['POST', '/'],
      ['DELETE', '/'],
      ['POST', '/api/turns'],
      ['DELETE', '/api/turns/x'],
      ['GET', '/api/sessions/x'],
      ['GET', '/v1/traces'],
      ['OPTIONS', '/v1/traces'],
      ['TRACE', '/api/health'],
      ['POST', '/assets/main-3fA9_x2b.js'],
    ] as const) {
      const { status, headers } = await send(method, path, BEARER);
      expect([method, path, status]).toEqual([method, path, 405]);
      expect(headers.allow).toMatch(/GET|POST|DELETE/);
    }
  });
});

describe('what is read', () => {
  it('is lists, turns, spans; packed where that is taken', async () => {
    const { get, post } = await open();
    for (let i = 1; i <= 5; i++) await post(request(i));
    const list = (await get('/api/turns?limit=2', BEARER)).json() as {
      rows: { trace: string }[];
      next: string;
      total: number;
    };
    expect([list.total, list.rows.map(({ trace }) => Number(`0x${trace}`))]).toEqual([5, [5, 4]]);
    const rest = (
      await get(`/api/turns?limit=9&before=${encodeURIComponent(list.next)}`, BEARER)
    ).json() as typeof list;
    expect([rest.rows.length, rest.next]).toEqual([3, null]);
    expect((await get('/api/turns?from=yesterday', BEARER)).status).toBe(400);
    const plain = await get(`/api/turns/${traceOf(3)}`, BEARER);
    expect(plain.json()).toMatchObject({
      row: { outcome: 'ok', duration: 100e9, service: 'other' },
      spans: { start: [0], end: [100e9] },
      path: { parts: { agent: 100e9 } },
    });
    const detail = (await get(`/api/turns/${traceOf(3)}/spans/${traceOf(3).slice(16)}`, BEARER)).json();
    expect(detail).toMatchObject({
      name: 'span 3',
      start: '1800000003000000000',
      attributes: { 'gen_ai.conversation.id': 'session 3' },
      resource: { 'service.name': 'other' },
      records: [],
      truncated: false,
    });
    for (const path of ['x', `${traceOf(3)}/spans/x`, `${traceOf(3)}/records`, `${traceOf(3)}/nothing`])
      expect((await get(`/api/turns/${path}`, BEARER)).status).toBe(404);
    await post(request(6, { attributes: Array.from({ length: 200 }, (_, i) => attribute(`attribute ${i}`, 'x')) }));
    const packed = await get(`/api/turns/${traceOf(6)}/spans/${traceOf(6).slice(16)}`, {
      ...BEARER,
      'accept-encoding': 'br, gzip',
    });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(Object.keys(JSON.parse(gunzipSync(packed.body).toString()).attributes)).toHaveLength(200);
  });
});

describe('POST /v1/traces', () => {
  it('takes gzip, and says what it did not take', async () => {
    const { post, store, send } = await open();
    const packed = await post(gzipSync(JSON.stringify(request(1))), { 'content-encoding': 'gzip' });
    expect([packed.status, packed.json(), store.spans]).toEqual([200, {}, 1]);
    const partial = await post({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'no trace' }, null] }] }] });
    expect(partial.json()).toEqual({ partialSuccess: { rejectedSpans: '2', errorMessage: expect.any(String) } });
    const logs = await send('POST', '/v1/logs', { ...BEARER, 'content-type': 'application/x-protobuf' });
    expect([logs.status, logs.headers['content-type'], logs.body.toString()]).toEqual([
      200,
      'application/x-protobuf',
      expect.stringContaining('only traces'),
    ]);
    expect(
      (await send('POST', '/v1/metrics', { ...BEARER, 'content-type': 'application/json' }, '{}')).json(),
    ).toMatchObject({ partialSuccess: { errorMessage: expect.stringContaining('OTEL_METRICS_EXPORTER=none') } });
  });

  it('refuses what is none, is too large, or too much at once', async () => {
    const { post, store } = await open();
    expect((await post('{')).status).toBe(400);
    expect((await post('[]')).status).toBe(400);
    expect((await post('nonsense', { 'content-type': 'application/x-protobuf' })).status).toBe(400);
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('{}', { 'content-encoding': 'br' })).status).toBe(415);
    expect((await post('{}', { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await post(gzipSync(Buffer.alloc(21 * 2 ** 20)), { 'content-encoding': 'gzip' })).status).toBe(413);
    expect(store.spans).toBe(0);
    const { post: postBusy, service } = await open({ waitingBytes: 10 });
    service.context.waiting.add(10);
    const busy = await postBusy(request(1));
    expect([busy.status, busy.headers['retry-after']]).toEqual([429, '1']);
    service.context.waiting.give(10);
    expect((await postBusy(request(1))).status).toBe(200);
    expect(service.context.waiting.held).toBe(0);
  });
});

describe('GET /api/live', () => {
  async function follow(url: string, query: string, headers: Record<string, string> = {}) {
    const end = new AbortController();
    ends.push(() => end.abort());
    const response = await fetch(`${url}/api/live${query}`, { headers: { ...BEARER, ...headers }, signal: end.signal });
    const events: { id: string; event: string; data: never }[] = [];
    void (async () => {
      let text = '';
      for await (const chunk of response.body ?? []) {
        const parts = (text + Buffer.from(chunk).toString()).split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          const fields = Object.fromEntries(
            part.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
          );
          if (fields.event)
            events.push({ id: fields.id ?? '', event: fields.event, data: JSON.parse(fields.data ?? '') as never });
        }
      }
    })().catch(() => {});
    return { events, end: () => end.abort() };
  }

  it('tells of a span within 300 ms, of the spans of a turn, and of what is gone', async () => {
    const { listener, post, store, get } = await open();
    await post(request(1, { endTimeUnixNano: '0' }));
    const { at } = (await get(`/api/turns/${traceOf(1)}`, BEARER)).json() as { at: number };
    const { events } = await follow(listener.url, `?trace=${traceOf(1)}&from=${at}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const began = performance.now();
    await post(request(1, { name: 'ended' }));
    const turn = await eventually(() => events.find(({ event }) => event === 'turn'));
    expect(performance.now() - began).toBeLessThan(300);
    expect(turn.data).toMatchObject({
      from: at,
      texts: ['ended'],
      spans: { index: [0], end: [100e9], name: [0] },
      row: { outcome: 'ok' },
    });
    expect((await eventually(() => events.find(({ event }) => event === 'rows'))).data).toMatchObject([
      { trace: traceOf(1), name: 'ended' },
    ]);
    store.forget([...store.all()]);
    expect((await eventually(() => events.find(({ event }) => event === 'gone'))).data).toEqual([traceOf(1)]);
  });

  it('goes on where a reader was, and asks one of another run to read anew', async () => {
    const { listener, post } = await open();
    const first = await follow(listener.url, '');
    await post(request(1));
    const { id } = await eventually(() => first.events[0]);
    first.end();
    await post(request(2));
    const again = await follow(listener.url, '', { 'last-event-id': id });
    expect((await eventually(() => again.events[0])).data).toMatchObject([{ trace: traceOf(2) }]);
    const other = await follow(listener.url, '?trace=x', { 'last-event-id': 'other-5' });
    await eventually(() => other.events.length === 2);
    expect(other.events.map(({ event, data }) => [event, data])).toEqual([
      ['reload', {}],
      ['turn', { reload: true }],
    ]);
  });

  it('sends no more than a batch each 100 ms', async () => {
    const { listener, post } = await open();
    const { events } = await follow(listener.url, '');
    const began = performance.now();
    for (let i = 1; i <= 60; i++) await post(request(i));
    const took = performance.now() - began;
    await eventually(() => events.flatMap(({ data }) => data as unknown[]).length >= 60);
    expect(events.length).toBeLessThanOrEqual(3 + took / 100);
  });
});
