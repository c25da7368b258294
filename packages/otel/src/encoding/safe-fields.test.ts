import type { HrTime, SpanContext } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { TraceRequests } from '../exporters/trace-requests.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { copySpan } from '../sdk/copy-span.js';
import { JSON_ENCODING } from './json-encoding.js';
import { withSafeFields } from './safe-fields.js';

function span(changes: Partial<ReadableSpan>): ReadableSpan {
  const memory = new InMemorySpanExporter();
  const provider = new ObserverTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] });
  provider.getTracer('t').startSpan('s').end();
  return copySpan(memory.getFinishedSpans()[0] as ReadableSpan, changes);
}

/** The span as it stands in a request. */
function sent(one: ReadableSpan) {
  const [request] = new TraceRequests(JSON_ENCODING, 1e6).of([one]);
  return JSON.parse(Buffer.from(request?.body ?? []).toString()).resourceSpans[0].scopeSpans[0].spans[0];
}

const ids = (traceId: string, spanId: string): SpanContext => ({ traceId, spanId, traceFlags: 1 });
const GOOD = ids('0af7651916cd43dd8448eb211c80319c', '00f067aa0ba902b7');

describe('withSafeFields', () => {
  it('leaves a span as it is that OTLP can hold', () => {
    const good = span({ endTime: [18_446_744_072, 999_999_999] });
    expect(withSafeFields(good)).toBe(good);
  });

  it.each([
    [[1e11, 0], '18446744073709551615'],
    [[Number.POSITIVE_INFINITY, 0], '18446744073709551615'],
    [[18_446_744_073, 709_551_615], '18446744073709551615'],
    [[-5, 0], '0'],
    [[Number.NaN, 7], '7'],
    [[1, 2e9], '3000000000'],
    [[1.5, 0.5], '1000000000'],
  ])('bounds the time %j', (time, nanos) => {
    const event = { name: 'e', time: time as HrTime };
    const one = sent(span({ startTime: time as HrTime, endTime: time as HrTime, events: [event] }));
    expect([one.startTimeUnixNano, one.endTimeUnixNano, one.events[0].timeUnixNano]).toEqual([nanos, nanos, nanos]);
  });

  it('bounds counts, kinds and status codes', () => {
    const odd = { kind: 77 as never, status: { code: -1 as never, message: 'm' }, droppedEventsCount: 2 ** 40 };
    const one = sent(span({ ...odd, droppedAttributesCount: Number.NaN, droppedLinksCount: 1.5 }));
    expect(one).toMatchObject({
      kind: 1,
      status: { code: 0, message: 'm' },
      droppedEventsCount: 2 ** 32 - 1,
      droppedAttributesCount: 0,
      droppedLinksCount: 1,
    });
  });

  it('makes ids of what is none, the same of the same, and leaves out what names no span', () => {
    const links = [{ context: ids('x', 'y') }, { context: GOOD }];
    const [a, b] = ['one', 'two'].map((spanId) =>
      sent(span({ spanContext: () => ids('my trace', spanId), parentSpanContext: ids('', ''), links })),
    );
    expect(a.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(a.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(a.traceId).toBe(b.traceId);
    expect(a.spanId).not.toBe(b.spanId);
    expect([a.parentSpanId, a.links.length, a.droppedLinksCount]).toEqual([undefined, 1, 1]);
    expect(a.links[0]).toMatchObject({ traceId: GOOD.traceId, spanId: GOOD.spanId });
  });
});
