import { JSON_ENCODING, PROTOBUF_ENCODING, TraceRequests } from '@hermes-observer/otel';
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { isFact } from '../traces/facts.js';
import type { SpanAttributes, SpanInput } from '../traces/span-source.js';
import { spansOfJson, timeOf } from './otlp-json.js';
import { spansOfProtobuf } from './otlp-protobuf.js';
import { WireReader } from './wire-reader.js';

const TRACE = 'a'.repeat(32);

/** Spans of a real SDK with everything that a span may have. */
function sdkSpans() {
  const memory = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] });
  const tracer = provider.getTracer('a scope', '1.2');
  const root = tracer.startSpan('root', {
    attributes: {
      'gen_ai.tool.name': 'grep',
      'error.type': 'größe',
      text: 'größe',
      many: ['a', 'b'],
      whole: -7,
      half: 0.5,
      yes: true,
    },
  });
  const child = tracer.startSpan(
    'child',
    {
      kind: 2,
      startTime: [4_294_967_301, 999_999_999],
      links: [{ context: root.spanContext(), attributes: { of: 1 } }],
    },
    trace.setSpan(ROOT_CONTEXT, root),
  );
  child.addEvent('an event', { at: 1 }, [1_795_988_111, 464_221_705]);
  child.setStatus({ code: 2, message: 'it broke' });
  child.end([4_294_967_302, 1]);
  root.end();
  return memory.getFinishedSpans();
}

const request = (spans: unknown[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 's' } }] },
      scopeSpans: [{ scope: { name: 'x' }, spans }],
    },
  ],
});
const pick = (attributes: SpanAttributes) =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => isFact(name)));

/** With what a packed span makes when it is asked. */
const unpacked = (input: SpanInput | undefined) => {
  if (input === undefined) return undefined;
  const { name, kind, startTime, status, attributes, events, links, resource, instrumentationScope } = input.source;
  return {
    ...input,
    source: { name, kind, startTime, status, attributes, events, links, resource, instrumentationScope },
  };
};
const read = (...spans: unknown[]) => [...spansOfJson(request(spans))] as SpanInput[];

describe('spans of a request', () => {
  it('are the same from JSON and from protobuf, and what the SDK made', () => {
    const spans = sdkSpans();
    const [json] = [...new TraceRequests(JSON_ENCODING, 2 ** 22).of(spans)];
    const [protobuf] = [...new TraceRequests(PROTOBUF_ENCODING, 2 ** 22).of(spans)];
    const fromJson = [...spansOfJson(JSON.parse(Buffer.from(json?.body ?? []).toString()))];
    const fromProtobuf = [...spansOfProtobuf(Buffer.from(protobuf?.body ?? []))];
    expect(fromProtobuf.map(unpacked)).toEqual(fromJson.map(unpacked));
    // Asked in turns, none has what is another's.
    expect(fromProtobuf.map((span) => span?.source.facts)).toEqual(
      fromJson.map((span) => expect.objectContaining(pick(span?.source.attributes ?? {}))),
    );
    expect(fromJson).toHaveLength(2);
    for (const [i, span] of spans.entries()) {
      const { spanId, traceId } = span.spanContext();
      expect(fromJson[i]).toMatchObject({
        traceId,
        spanId,
        parentId: span.parentSpanContext?.spanId ?? '',
        end: span.endTime,
        isBroken: false,
        source: {
          name: span.name,
          kind: span.kind,
          startTime: span.startTime,
          status: span.status,
          attributes: span.attributes,
        },
      });
    }
    const { events, links, instrumentationScope } = (fromJson[0] as SpanInput).source;
    expect([events[0]?.time, events[0]?.attributes, links[0]?.attributes, instrumentationScope]).toEqual([
      [1_795_988_111, 464_221_705],
      { at: 1 },
      { of: 1 },
      { name: 'a scope', version: '1.2' },
    ]);
  });

  it('are shown as far as they can be, and one never breaks another', () => {
    const good = { traceId: TRACE, spanId: '1'.repeat(16), name: 'good', startTimeUnixNano: '5', endTimeUnixNano: '9' };
    const made = read(
      null,
      'nonsense',
      7,
      {
        traceId: TRACE.toUpperCase(),
        spanId: 'AB'.repeat(8),
        name: 'upper',
        startTimeUnixNano: '5',
        endTimeUnixNano: '9',
      },
      { ...good, endTimeUnixNano: 0 },
      { ...good, endTimeUnixNano: undefined },
      { ...good, endTimeUnixNano: 'soon', startTimeUnixNano: {} },
      { ...good, attributes: 'no', events: [null, 4, { name: 3 }], links: {}, status: 'bad', kind: 99, name: 12 },
      {
        ...good,
        attributes: [
          null,
          { key: 1 },
          { key: '__proto__', value: { stringValue: 'x' } },
          { key: 'deep', value: { kvlistValue: { values: [{ key: 'a', value: { intValue: '9007199254740993' } }] } } },
        ],
      },
      { ...good, traceId: undefined },
      { ...good, traceId: 'not hex', spanId: '', parentSpanId: '0'.repeat(16) },
      { ...good, traceId: Buffer.from(TRACE, 'hex').toString('base64') },
      good,
    );
    expect(made.filter((span) => span === undefined)).toHaveLength(4);
    const [upper, noEnd, absent, odd, shapeless, deep, strange, base64, last] = made.filter(
      (span) => span !== undefined,
    );
    expect([upper?.traceId, upper?.spanId, upper?.isBroken]).toEqual([TRACE, 'ab'.repeat(8), false]);
    expect([noEnd?.end, noEnd?.isBroken, absent?.end, absent?.isBroken]).toEqual([undefined, false, undefined, false]);
    expect([odd?.end, odd?.isBroken, odd?.source.startTime]).toEqual([undefined, true, [0, 0]]);
    expect([
      shapeless?.source.attributes,
      shapeless?.source.events.length,
      shapeless?.source.kind,
      shapeless?.isBroken,
    ]).toEqual([{}, 1, 0, true]);
    expect(Object.keys(deep?.source.attributes ?? {})).toEqual(['__proto__', 'deep']);
    expect(deep?.source.attributes.deep).toEqual({ a: '9007199254740993' });
    expect([strange?.traceId.length, strange?.spanId, strange?.parentId, strange?.isBroken]).toEqual([
      32,
      '',
      '',
      true,
    ]);
    expect(base64?.traceId).toBe(TRACE);
    expect([last?.source.name, last?.isBroken]).toEqual(['good', false]);
  });

  it('in protobuf that break off are kept up to there, and those behind them are whole', () => {
    const [request] = [...new TraceRequests(PROTOBUF_ENCODING, 2 ** 22).of(sdkSpans())];
    const body = Buffer.from(request?.body ?? []);
    const at = body.indexOf('an event');
    body[at - 1] = 0x7f; // Length of the event's name, beyond the event.
    const made = [...spansOfProtobuf(body)];
    expect(made.map((span) => [span?.source.name, span?.isBroken])).toEqual([
      ['child', true],
      ['root', false],
    ]);
    expect(() => [...spansOfProtobuf(Buffer.from('nonsense'))]).toThrow(RangeError);
    for (let cut = 0; cut < body.length; cut++) {
      try {
        for (const span of spansOfProtobuf(body.subarray(0, cut)))
          expect(span === undefined || typeof span.traceId === 'string').toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  });
});

describe('times and numbers', () => {
  it('are exact up to 2^64, and before 1970', () => {
    for (const nanos of [1n, 1_795_988_111_464_221_705n, 2n ** 63n, 2n ** 64n - 1n, 4_294_967_295_999_999_999n]) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(nanos);
      const expected = [Number(nanos / 1_000_000_000n), Number(nanos % 1_000_000_000n)];
      expect(new WireReader(bytes).time(8)).toEqual(expected);
      expect(timeOf(String(nanos))).toEqual(expected);
    }
    expect(timeOf('-1500000000')).toEqual([-2, 500_000_000]);
    for (const none of ['0', 0, '', null, undefined, '1e9', Number.NaN, '18446744073709551616', '99999999999999999999'])
      expect(timeOf(none)).toBeUndefined();
  });

  it('of 64 bits keep their digits', () => {
    const of = (...bytes: number[]) => new WireReader(Buffer.from(bytes)).int64();
    expect(of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)).toBe(-1);
    expect(of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)).toBe('9223372036854775807');
    expect(of(0x96, 0x01)).toBe(150);
  });
});
