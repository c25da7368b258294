import { TraceState } from '@opentelemetry/core';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TraceRequests } from '../exporters/trace-requests.js';
import { createResource } from '../provider/resource.js';
import type { ReadableSpan } from '../sdk/types.js';
import type { EncodedSpan, Encoding } from './encoding.js';
import { JSON_ENCODING } from './json-encoding.js';
import { PROTOBUF_ENCODING } from './protobuf-encoding.js';
import { SpanEncoder } from './span-encoder.js';

const resources = [
  createResource({ 'service.name': 'one', n: 5 }),
  createResource({ 'service.name': 'two' }, 'https://example.com/schema'),
];
const scopes = [
  { name: 'a', version: '1' },
  { name: 'b', version: '2', schemaUrl: 'https://example.com/scope' },
  { name: '' },
];

const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
    .filter((id) => !/^0*$/.test(id));
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom('', 'é', '😀'.repeat(30), 'x'.repeat(47), 'x'.repeat(48), 'x'.repeat(300), '"\\\n\u0000'),
);
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
  fc.constantFrom(0, -0, -1, 0.1, 2 ** 31, 2 ** 32, -(2 ** 53) + 1),
);
const value = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.array(text, { maxLength: 3 }),
  fc.array(number, { maxLength: 3 }),
);
const attributes = fc.dictionary(fc.oneof(text, fc.constantFrom('gen_ai.request.model', '__proto__')), value, {
  maxKeys: 8,
});
const time = fc.tuple(
  fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1_700_000_000, max: 18_446_744_000 })),
  fc.oneof(fc.constantFrom(0, 1, 999_999_999), fc.integer({ min: 0, max: 999_999_999 })),
);
const context = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  traceFlags: fc.constantFrom(0, 1),
  isRemote: fc.constantFrom(undefined, false, true),
  traceState: fc.constantFrom(undefined, new TraceState('a=1,b=2')),
});
const count = fc.constantFrom(0, 0, 1, 200, 100_000);
const span: fc.Arbitrary<ReadableSpan> = fc
  .record({
    own: context,
    parentSpanContext: fc.option(context, { nil: undefined }),
    name: text,
    kind: fc.integer({ min: 0, max: 4 }),
    startTime: time,
    endTime: time,
    status: fc.record({ code: fc.constantFrom(0, 1, 2), message: fc.option(text, { nil: undefined }) }),
    attributes,
    events: fc.array(fc.record({ name: text, time, attributes, droppedAttributesCount: count }), { maxLength: 3 }),
    links: fc.array(fc.record({ context, attributes, droppedAttributesCount: count }), { maxLength: 3 }),
    resource: fc.constantFrom(...resources),
    instrumentationScope: fc.constantFrom(...scopes),
    droppedAttributesCount: count,
    droppedEventsCount: count,
    droppedLinksCount: count,
  })
  .map(({ own, ...rest }) => ({ ...rest, spanContext: () => own, duration: [0, 0], ended: true }) as never);

function encoded(encoding: Encoding, spans: readonly ReadableSpan[]): EncodedSpan[] {
  const encoder = new SpanEncoder(encoding);
  return spans.map((one) => encoder.encode(one) as EncodedSpan);
}

describe('what the standard serializers write', () => {
  it('is what is written as JSON', () => {
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 8 }), (spans) => {
        const ours = textOf(JSON_ENCODING.request(encoded(JSON_ENCODING, spans)));
        expect(JSON.parse(ours)).toEqual(JSON.parse(textOf(standardJson(spans))));
      }),
    );
  });

  it('is what is written as protobuf, byte for byte, but for fields that are zero', () => {
    fc.assert(
      fc.property(fc.array(span.map(withoutZeros), { minLength: 1, maxLength: 8 }), (spans) => {
        const ours = PROTOBUF_ENCODING.request(encoded(PROTOBUF_ENCODING, spans));
        expect(Buffer.from(ours).toString('hex')).toBe(Buffer.from(standardProtobuf(spans)).toString('hex'));
      }),
    );
  });
});

/** The standard serializer writes counts and a status code that are zero, which protobuf leaves out. */
function withoutZeros(one: ReadableSpan): ReadableSpan {
  return {
    ...one,
    status: { ...one.status, code: one.status.code || 1 },
    droppedAttributesCount: one.droppedAttributesCount || 7,
    droppedEventsCount: one.droppedEventsCount || 7,
    droppedLinksCount: one.droppedLinksCount || 7,
    events: one.events.map((event) => ({ ...event, droppedAttributesCount: event.droppedAttributesCount || 7 })),
    links: one.links.map((link) => ({ ...link, droppedAttributesCount: link.droppedAttributesCount || 7 })),
  };
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const standardJson = (spans: ReadableSpan[]) => JsonTraceSerializer.serializeRequest(spans as never) as Uint8Array;
const standardProtobuf = (spans: ReadableSpan[]) =>
  ProtobufTraceSerializer.serializeRequest(spans as never) as Uint8Array;

describe.each([JSON_ENCODING, PROTOBUF_ENCODING])('$name', (encoding) => {
  it('never makes a request larger than it was told', () => {
    fc.assert(
      fc.property(
        fc.array(span, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 2_000, max: 20_000 }),
        (spans, most) => {
          const requests = [...new TraceRequests(encoding, most).of(spans)];
          for (const { body } of requests) expect(body.length).toBeLessThanOrEqual(most);
          const ids = requests.flatMap((request) => request.spans.map(({ source }) => source));
          expect(ids).toEqual(spans);
        },
      ),
    );
  });

  it('reads its own values from the other side', () => {
    const one = {
      ...sample(),
      attributes: { nan: Number.NaN, big: 1e21, list: [1, Number.POSITIVE_INFINITY], none: null },
    };
    const json = JSON.parse(textOf(JSON_ENCODING.request(encoded(JSON_ENCODING, [one as never]))));
    expect(json.resourceSpans[0].scopeSpans[0].spans[0].attributes).toEqual([
      { key: 'nan', value: { stringValue: 'NaN' } },
      { key: 'big', value: { stringValue: '1e+21' } },
      { key: 'list', value: { arrayValue: { values: [{ stringValue: '1' }, { stringValue: 'Infinity' }] } } },
      { key: 'none', value: {} },
    ]);
  });

  it('leaves the bones of a span', () => {
    const one = { ...sample(), attributes: { a: 1, b: 'secret' }, events: [], status: { code: 2, message: 'secret' } };
    const [piece] = encoded(encoding, [one as never]);
    const { arena, start, bytes, group } = piece as EncodedSpan;
    const bare = encoding.bare(arena.view(start, start + bytes));
    const kept = { view: (from: number, to: number) => bare.subarray(from, to) };
    const request = encoding.request([{ arena: kept, start: 0, bytes: bare.length, group }]);
    expect(Buffer.from(request).toString('latin1')).not.toContain('secret');
    expect(Buffer.from(request).toString('latin1')).toContain('hermes.export.cut');
    expect(Buffer.from(request).toString('latin1')).toContain('sample');
  });

  it('leaves out a span that throws', () => {
    const broken = {
      ...sample(),
      get attributes(): never {
        throw new Error('no');
      },
    };
    expect(new SpanEncoder(encoding).encode(broken as never)).toBeUndefined();
    expect(new SpanEncoder(encoding).encode(sample())).toBeDefined();
  });
});

describe('a cycle or a deep value', () => {
  it('ends', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const encoding of [JSON_ENCODING, PROTOBUF_ENCODING]) {
      const [one] = encoded(encoding, [{ ...sample(), attributes: { cycle } } as never]);
      expect(one?.bytes).toBeLessThan(5_000);
    }
  });
});

function sample(): ReadableSpan {
  const own = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: '00f067aa0ba902b7', traceFlags: 1 };
  return {
    name: 'sample',
    kind: 0,
    spanContext: () => own,
    startTime: [1, 0],
    endTime: [2, 0],
    duration: [1, 0],
    ended: true,
    status: { code: 0 },
    attributes: {},
    links: [],
    events: [],
    resource: resources[0] as never,
    instrumentationScope: scopes[0] as never,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
