import { Hub } from '@hermes-observer/core';
import { createTraceState, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createObserver } from '../observer/create-observer.js';
import type { ObserverOptions } from '../observer/options.js';
import { createResource } from '../provider/resource.js';
import { copySpan } from '../sdk/copy-span.js';
import type { ReadableSpan, SpanExporter } from '../sdk/types.js';
import type { SpanRedactionOptions } from './options.js';
import { RedactingSpanExporter } from './redacting-span-exporter.js';
import { SpanRedactor } from './span-redactor.js';

const KEY = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const IDS = { traceId: '0'.repeat(31).concat('1'), spanId: '0'.repeat(15).concat('1'), traceFlags: TraceFlags.SAMPLED };

function span(changes: Partial<ReadableSpan> = {}): ReadableSpan {
  return {
    name: 'work',
    kind: SpanKind.INTERNAL,
    spanContext: () => IDS,
    startTime: [1, 0],
    endTime: [2, 0],
    duration: [1, 0],
    status: { code: SpanStatusCode.UNSET },
    attributes: {},
    events: [],
    links: [],
    ended: true,
    resource: createResource({ 'service.name': 'test' }),
    instrumentationScope: { name: 'scope' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    ...changes,
  };
}

const attributesOf = (attributes: unknown, options?: SpanRedactionOptions) =>
  new SpanRedactor(options).redact(span({ attributes: attributes as ReadableSpan['attributes'] })).attributes;

/** All that an exporter can read of a span. */
function readable(one: ReadableSpan): string {
  const context = (of: { traceState?: { serialize(): string } }) => of.traceState?.serialize();
  return JSON.stringify([
    {
      ...one,
      resource: [one.resource.attributes, one.resource.getRawAttributes(), one.resource.merge(null).attributes],
    },
    context(one.spanContext()),
    one.links.map((link) => context(link.context)),
  ]);
}

describe('a redacted span', () => {
  const state = createTraceState(`vendor=${KEY}`);
  const full = span({
    name: `call ${KEY}`,
    spanContext: () => ({ ...IDS, traceState: state }),
    status: { code: SpanStatusCode.ERROR, message: `failed with ${KEY}` },
    attributes: {
      text: `my key is ${KEY}`,
      [`name ${KEY}`]: 1,
      'http.request.header.authorization': ['Basic abc'],
      list: ['x', KEY],
      'gen_ai.tool.call.arguments': JSON.stringify({ a: JSON.stringify({ password: 'hunter2', b: KEY }) }),
    },
    events: [
      {
        name: `exception ${KEY}`,
        time: [1, 1],
        attributes: { 'exception.message': `no ${KEY}`, 'exception.stacktrace': `Error: ${KEY}\n  at x.js:1` },
      },
    ],
    links: [{ context: { ...IDS, traceState: state }, attributes: { why: KEY } }],
    resource: resourceFromAttributes({ 'process.command_line': `run --token=${KEY}`, 'service.name': 'test' }),
  });

  it('has nothing of a secret in any field, and all the rest', () => {
    const redactor = new SpanRedactor();
    const redacted = redactor.redact(full);
    expect(readable(full).match(/a1B2c3D4/g)?.length).toBeGreaterThan(14);
    expect(readable(redacted)).not.toMatch(/a1B2c3D4|hunter2|Basic abc/);
    expect(redacted.name).toBe('call [redacted:api_key]');
    expect(redacted.status).toEqual({ code: 2, message: 'failed with [redacted:api_key]' });
    expect(redacted.attributes).toEqual({
      text: 'my key is [redacted:api_key]',
      'name [redacted:api_key]': 1,
      'http.request.header.authorization': '[redacted:secret]',
      list: ['x', '[redacted:api_key]'],
      'gen_ai.tool.call.arguments': JSON.stringify({
        a: JSON.stringify({ password: '[redacted:secret]', b: '[redacted:api_key]' }),
      }),
    });
    expect(redacted.events[0]?.attributes?.['exception.stacktrace']).toBe('Error: [redacted:api_key]\n  at x.js:1');
    expect(redacted.resource.attributes).toEqual({
      'process.command_line': 'run --token=[redacted:api_key]',
      'service.name': 'test',
    });
    expect([redacted.kind, redacted.startTime, redacted.spanContext().spanId]).toEqual([0, [1, 0], IDS.spanId]);
    expect(redactor.counts).toMatchObject({ secret: 2 });
    expect(redactor.redactedValues).toBeGreaterThan(10);
  });

  it('leaves the span that was given as it was', () => {
    const before = readable(full);
    new SpanRedactor({ mode: 'remove' }).redact(full);
    expect(readable(full)).toBe(before);
  });

  it('keeps values that exporters know to handle, and looks into those that no attribute may have', () => {
    const bytes = new Uint8Array([1, 2, 200]);
    const given = { a: Number.NaN, b: [1, null, 3], c: true, bytes, nothing: undefined };
    expect(attributesOf(given)).toEqual({ a: Number.NaN, b: [1, null, 3], c: true, bytes });
    expect(attributesOf({ o: { password: 'hunter2', x: 1 }, t: new TextEncoder().encode(KEY) })).toEqual({
      o: { password: '[redacted:secret]', x: 1 },
      t: '[redacted:api_key]',
    });
    expect(
      JSON.stringify(attributesOf({ f: () => KEY, n: 4111111111111111n, m: new Map([['password', 'hunter2']]) })),
    ).not.toMatch(/a1B2|4111|hunter2/);
  });

  it('is bare where it cannot be read, and none where it cannot even be copied', async () => {
    const fail = () => {
      throw new Error(KEY);
    };
    const broken = span({ status: { code: 2, message: KEY } });
    Object.defineProperty(broken, 'attributes', { get: fail });
    const exported: ReadableSpan[] = [];
    const exporter = new RedactingSpanExporter(taking(exported));
    exporter.export(
      [broken, span({ attributes: new Proxy({ a: 1 }, { get: fail }) }), span({ name: 'good' })],
      () => {},
    );
    expect(exported.map(({ name }) => name)).toEqual(['[redacted]', 'good']);
    expect(JSON.stringify(exported)).not.toContain('a1B2');
    expect(exporter.leftOutSpans).toBe(1);
  });

  it('has no secret whatever is around it', () => {
    const redactor = new SpanRedactor({ patterns: { ipv4: true } });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.string(), (value, text) => {
        const json = JSON.stringify({ value, inner: [{ text: `${text} ${KEY}` }], secret: 'hunter2' });
        const redacted = redactor.redact(
          span({ attributes: { json, double: JSON.stringify(json), text: `${json} ${text}` } }),
        );
        expect(readable(redacted)).not.toMatch(/a1B2c3D4|hunter2/);
        expect(() => JSON.parse(JSON.parse(redacted.attributes.double as string))).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

describe('paths', () => {
  const order = { customer: { name: 'Jane', id: 7 }, items: [{ price: 5 }, { price: 6 }], restore: 'kept' };
  const attributes = { args: JSON.stringify(order), other: 'x', big: '{"n":1764450000123456789}' };

  it('reach into JSON texts, and change nothing else', () => {
    const options = { paths: ['*.customer.name', 'args.items[*].price', 'nothing.here'] };
    expect(attributesOf(attributes, options)).toEqual({
      ...attributes,
      args: JSON.stringify({
        customer: { name: '[redacted:path]', id: 7 },
        items: [{ price: '[redacted:path]' }, { price: '[redacted:path]' }],
        restore: 'kept',
      }),
    });
  });

  it('name attributes with points, lists, and whole values', () => {
    const options = { paths: ['["user.full_name"]', 'tags[0]', 'args.customer'] };
    const given = { 'user.full_name': 'Jane', tags: ['a', 'b'], args: attributes.args };
    expect(attributesOf(given, options)).toEqual({
      'user.full_name': '[redacted:path]',
      tags: ['[redacted:path]', 'b'],
      args: JSON.stringify({ ...order, customer: '[redacted:path]' }),
    });
  });

  it('hash and remove', () => {
    const hashed = attributesOf({ a: 'Jane', b: '{"a":"Jane"}' }, { paths: ['a', 'b.a'], mode: 'hash', salt: 's' });
    expect(hashed.b).toBe(JSON.stringify({ a: hashed.a }));
    expect(hashed.a).toMatch(/^\[redacted:path:[0-9a-f]{12}\]$/);
    expect(
      attributesOf({ ...attributes, l: ['a', 'b'] }, { paths: ['args.customer', 'other', 'l[*]'], mode: 'remove' }),
    ).toEqual({
      args: JSON.stringify({ items: order.items, restore: 'kept' }),
      big: attributes.big,
      l: [],
    });
  });

  it('are counted, and hold for events, links and resources', () => {
    const redactor = new SpanRedactor({ paths: ['who'] });
    const who = { who: 'Jane' };
    const redacted = redactor.redact(
      span({
        attributes: who,
        events: [{ name: 'e', time: [1, 0], attributes: who }],
        links: [{ context: IDS, attributes: who }],
        resource: createResource(who),
      }),
    );
    expect(readable(redacted)).not.toContain('Jane');
    expect(redactor.counts).toEqual({ path: 4 });
  });

  it('change no prototype, and survive hostile names', () => {
    const given = JSON.parse('{"__proto__":"{\\"a\\":1}","constructor":"x","a":"Jane"}');
    const redacted = attributesOf(given, { paths: ['a', '__proto__.a', 'constructor.prototype.x'] });
    expect(JSON.stringify(redacted)).not.toContain('Jane');
    expect(({} as Record<string, unknown>).a).toBe(undefined);
  });

  it.each(['', 'a..b', 'a[0', 'a,b', 5])('that are none are refused: %j', (path) => {
    expect(() => new SpanRedactor({ paths: [path as string] })).toThrow(expect.objectContaining({ code: 'HO_OPTION' }));
  });
});

describe('a rule', () => {
  it('gets each value of a span with its path', () => {
    const seen = new Map<string, unknown>();
    const redactor = new SpanRedactor({
      rule: (value, path) => {
        seen.set(path.join('/'), value);
        return value;
      },
    });
    redactor.redact(
      span({
        status: { code: 2, message: 'm' },
        attributes: { a: '{"b":[1]}', l: ['x'] },
        events: [{ name: 'e', time: [1, 0], attributes: { c: 2 } }],
        links: [{ context: IDS, attributes: { d: true } }],
      }),
    );
    expect(Object.fromEntries(seen)).toEqual({
      name: 'work',
      status: 'm',
      'attributes/a/b/0': 1,
      'attributes/l/0': 'x',
      'events/0/name': 'e',
      'events/0/c': 2,
      'links/0/d': true,
      'resource/service.name': 'test',
    });
  });
});

const taking = (spans: ReadableSpan[]): SpanExporter => ({
  export: (batch, done) => {
    spans.push(...batch);
    done({ code: 0 });
  },
  shutdown: async () => {},
});

describe('RedactingSpanExporter', () => {
  it('is a standard exporter of the SDK', async () => {
    const memory = new InMemorySpanExporter();
    const exporter = new RedactingSpanExporter(memory, { keys: ['customerName'] });
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const one = provider.getTracer('t').startSpan('x', { attributes: { customer_name: 'Jane', n: 1 } });
    one.recordException(new Error(`no ${KEY}`));
    one.end();
    await provider.forceFlush();
    const [exported] = memory.getFinishedSpans();
    expect(exported?.attributes).toEqual({ customer_name: '[redacted:key]', n: 1 });
    expect(readable(exported as ReadableSpan)).not.toContain('a1B2');
    expect(exporter.counts).toMatchObject({ key: 1 });
    await provider.shutdown();
    expect(memory.getFinishedSpans()).toEqual([]);
  });
});

describe('createObserver with redaction', () => {
  async function spansOf(options: ObserverOptions): Promise<ReadableSpan[]> {
    const spans: ReadableSpan[] = [];
    const hub = new Hub();
    const observer = createObserver({ ...options, exporters: [taking(spans)], env: {}, hub });
    const ids = { session_id: 's1', turn_id: 't1' };
    hub.emit('pre_llm_call', { ...ids, user_message: `use ${KEY}` });
    hub.emit('on_session_end', { ...ids });
    await observer.flush();
    if (options.redaction !== undefined) expect(observer.counts.redactedValues).toBeGreaterThan(0);
    await observer.shutdown();
    return spans;
  }

  it('takes secrets out of full content, and out of what `beforeExport` and `attributes` put in', async () => {
    const options: ObserverOptions = { capture: 'full', attributes: { note: `password=${KEY}` } };
    expect(JSON.stringify((await spansOf(options)).map(({ attributes }) => attributes))).toContain(KEY);
    const beforeExport = (one: ReadableSpan) => copySpan(one, { name: `x ${KEY}` });
    const spans = await spansOf({ ...options, beforeExport, redaction: {} });
    expect(spans.map(readable).join()).not.toContain(KEY);
    expect(spans[0]?.name).toBe('x [redacted:api_key]');
  });

  it('counts by kind', async () => {
    const observer = createObserver({ redaction: {}, exporters: [], env: {} });
    expect(observer.counts).toMatchObject({ redactedValues: 0, redactedByKind: {} });
    await observer.shutdown();
  });

  it.each<[string, unknown]>([
    ['redaction', { redaction: true }],
    ['maks', { redaction: { maks: 1 } }],
    ['tracerProvider', { redaction: {}, tracerProvider: new BasicTracerProvider() }],
  ])('refuses what would not redact: %s', (name, options) => {
    expect(() => createObserver(options as ObserverOptions)).toThrow(
      expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(name) }),
    );
  });
});
