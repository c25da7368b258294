import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { eventually } from '../listeners/memory-service.test-support.js';
import { attribute, BEARER, ends, open, request, traceOf } from './viewer.test-support.js';

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
    // Of a timer in this process, which is as late as all else where the machine has much to do.
    let ticks = 0;
    const clock = setInterval(() => ticks++, 10);
    await post(request(1, { name: 'ended' }));
    const turn = await eventually(() => events.find(({ event }) => event === 'turn'));
    clearInterval(clock);
    expect(ticks).toBeLessThan(30);
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
