import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { JSON_ENCODING } from '../encoding/json-encoding.js';
import { PROTOBUF_ENCODING } from '../encoding/protobuf-encoding.js';
import { SpanEncoder } from '../encoding/span-encoder.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { bareRequest, halves, nameOfSpan } from './split-request.js';

function spans(count: number): ReadableSpan[] {
  const memory = new InMemorySpanExporter();
  const provider = new ObserverTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] });
  // Of two scopes, in turn.
  for (let i = 0; i < count; i++) {
    const span = provider.getTracer(`scope ${i % 2}`).startSpan(`span ${i}`, { attributes: { secret: `text ${i}` } });
    span.addEvent('event', { secret: 'text' });
    span.setStatus({ code: 2, message: 'secret' });
    span.end();
  }
  return memory.getFinishedSpans();
}

describe.each([JSON_ENCODING, PROTOBUF_ENCODING])('a request in $name', (encoding) => {
  const bodyOf = (all: readonly ReadableSpan[]) => {
    const encoder = new SpanEncoder(encoding);
    return encoding.request(all.flatMap((span) => encoder.encode(span) ?? []));
  };
  const namesIn = (body: Uint8Array) =>
    encoding.spansOf(body).map(({ arena, start, bytes }) => encoding.identity(arena.view(start, start + bytes)).name);

  it.each([2, 3, 7, 16])('of %i spans is two of half of them, each span in its scope', (count) => {
    const all = spans(count);
    const [first, second] = halves(bodyOf(all), encoding) ?? [];
    expect([first?.spans, second?.spans]).toEqual([Math.ceil(count / 2), Math.floor(count / 2)]);
    const names = [...namesIn(first?.body as Uint8Array), ...namesIn(second?.body as Uint8Array)];
    expect(names).toEqual(namesIn(bodyOf(all)));
    const size = (first?.body.length ?? 0) + (second?.body.length ?? 0);
    expect(size).toBeGreaterThan(bodyOf(all).length);
    for (const { body } of [first, second] as { body: Uint8Array }[]) {
      expect(Buffer.from(body).toString('latin1')).toContain('service.name');
    }
  });

  it('comes down to its single spans', () => {
    const single = (body: Uint8Array): Uint8Array[] => {
      const two = halves(body, encoding);
      return two === undefined ? [body] : two.flatMap((part) => single(part.body));
    };
    const bodies = single(bodyOf(spans(5)));
    expect(bodies.map((body) => namesIn(body).length)).toEqual([1, 1, 1, 1, 1]);
  });

  it('of one span is not split, and leaves its bones', () => {
    const [span] = spans(1) as [ReadableSpan];
    const body = bodyOf([span]);
    expect(halves(body, encoding)).toBeUndefined();
    const bare = bareRequest(body, encoding);
    expect(bare?.spans).toBe(1);
    const text = Buffer.from(bare?.body as Uint8Array).toString('latin1');
    expect(text).not.toContain('secret');
    expect(text).toContain('hermes.export.cut');
    const { traceId, spanId } = span.spanContext();
    expect(nameOfSpan(bare?.body as Uint8Array, encoding)).toBe(`"span 0" (trace ${traceId}, span ${spanId})`);
  });

  it('of several spans has no bones', () => {
    expect(bareRequest(bodyOf(spans(2)), encoding)).toBeUndefined();
  });

  it('that cannot be read is left as it is', () => {
    const junk = Buffer.from('\u00ff junk');
    expect([halves(junk, encoding), bareRequest(junk, encoding)]).toEqual([undefined, undefined]);
    expect(nameOfSpan(junk, encoding)).toBe('that cannot be read');
  });
});
