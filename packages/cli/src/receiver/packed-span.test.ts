import { describe, expect, it } from 'vitest';
import type { SpanSource } from '../traces/span-source.js';
import { TraceStore } from '../traces/trace-store.js';
import { spansOfProtobuf } from './otlp-protobuf.js';

const LONG = 100_000;

/** A field with a length, of the number in `tag`. */
function field(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size: number[] = [];
  let rest = body.length;
  for (; rest >= 0x80; rest >>>= 7) size.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.of(tag, ...size, rest), body]);
}

const time = (tag: number, nanos: number) => {
  const bytes = Buffer.alloc(9);
  bytes[0] = tag;
  bytes.writeBigUInt64LE(BigInt(nanos), 1);
  return bytes;
};
const attribute = (key: string, value: string) =>
  field(0x4a, field(0x0a, Buffer.from(key)), field(0x12, field(0x0a, Buffer.from(value))));
const span = (trace: number, id: number, value: string) =>
  field(
    0x12,
    field(0x0a, Buffer.alloc(16, trace)),
    field(0x12, Buffer.alloc(8, id)),
    field(0x2a, Buffer.from(`span ${id}`)),
    time(0x39, 1_000 + id),
    time(0x41, 2_000 + id),
    attribute('gen_ai.tool.name', `tool ${id}`),
    attribute('text', value),
  );
const request = (...spans: Uint8Array[]) => field(0x0a, field(0x12, ...spans));

/** Sizes of the pieces that are taken out of a message to be kept. */
function watched(body: Buffer): { body: Buffer; pieces: number[] } {
  const pieces: number[] = [];
  const slice = Buffer.prototype.latin1Slice;
  const watching = Object.assign(body, {
    latin1Slice(from: number, end: number) {
      pieces.push(end - from);
      return slice.call(body, from, end);
    },
  });
  return { body: watching, pieces };
}

describe('packed spans', () => {
  it('say the same while their message is read and after its memory has become another one', () => {
    const traces = [1, 1, 2, 1, 1, 1, 2];
    const spans = traces.map((trace, i) => span(trace, i + 1, `größe ${i + 1}`));
    const { body, pieces } = watched(request(...spans));
    const said = ({ name, attributes, facts }: SpanSource) => [
      name,
      attributes.text,
      attributes['gen_ai.tool.name'],
      facts?.['gen_ai.tool.name'],
    ];
    const expected = traces.map((_, i) => [`span ${i + 1}`, `größe ${i + 1}`, `tool ${i + 1}`, `tool ${i + 1}`]);
    const sources: SpanSource[] = [];
    const early = [];
    for (const input of spansOfProtobuf(body)) {
      if (input === undefined) continue;
      sources.push(input.source);
      early.push(sources.map(said));
    }
    expect(early.at(-1)).toEqual(expected);
    body.fill(0xff);
    // None is kept for what is in another trace.
    const size = (from: number, end: number) => spans.slice(from, end).reduce((sum, { length }) => sum + length, 0);
    expect(pieces).toEqual([size(0, 2), size(2, 3), size(3, 6), size(6, 7)]);
    expect(sources.map(said)).toEqual(expected);
    expect(sources.toReversed().map(said)).toEqual(expected.toReversed());
  });

  it('keep nothing of what stands between them, before them and behind them', () => {
    const waste = field(0x7a, Buffer.alloc(LONG));
    const spans = [span(1, 1, 'a'), waste, span(1, 2, 'b'), span(1, 3, 'c'), span(0, 4, 'of no trace'), waste];
    const { body, pieces } = watched(Buffer.concat([field(0x0a, field(0x12, waste, ...spans), waste), request(waste)]));
    const inputs = [...spansOfProtobuf(body)];
    expect(inputs.map((input) => input?.source.attributes.text)).toEqual(['a', 'b', 'c', undefined]);
    const [first, , second, third] = spans.map(({ length }) => length);
    expect(pieces).toEqual([first, (second as number) + (third as number)]);
  });

  it('are kept also where the message breaks off, or nobody reads on', () => {
    const whole = request(span(1, 1, 'a'), span(1, 2, 'b'));
    const cut = Buffer.from(whole.subarray(0, -5));
    const sources: unknown[] = [];
    expect(() => {
      for (const input of spansOfProtobuf(Buffer.concat([whole, cut]))) sources.push(input?.source.attributes.text);
    }).toThrow(RangeError);
    expect(sources).toEqual(['a', 'b']);
    let first: SpanSource | undefined;
    for (const input of spansOfProtobuf(whole)) {
      first = input?.source;
      break;
    }
    whole.fill(0);
    expect(first?.attributes.text).toBe('a');
  });

  it('that come again and again take no more room than there is, and what was taken stays counted', () => {
    const most = 20 * LONG;
    const store = new TraceStore({ bytes: most });
    const send = (trace: number) => {
      for (const input of spansOfProtobuf(request(span(trace, 1, 'x'.repeat(LONG)))))
        if (input !== undefined) store.add(input, 'received');
    };
    send(1);
    const once = store.bytes;
    send(1);
    expect(store.bytes).toBeGreaterThan(once + LONG);
    for (let i = 0; i < 100; i++) send(1);
    expect([store.spans, store.bytes < most + 2 * LONG]).toEqual([1, true]);
    expect(store.counts.leftOutSpans).toBeGreaterThan(70);
    // Another trace finds room; all of the first one goes.
    send(2);
    expect([store.spans, store.counts.evictedTraces, store.bytes]).toEqual([1, 1, once]);
  });
});
