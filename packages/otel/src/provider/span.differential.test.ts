import { type Attributes, ROOT_CONTEXT, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, type ReadableSpan, type SpanLimits } from '@opentelemetry/sdk-trace-base';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ObserverTracerProvider } from './observer-tracer-provider.js';

const parentContext = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };

const key = fc.oneof({ weight: 9, arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'toString') }, fc.constant(''));
const text = fc.string({ maxLength: 6 });
const simple = fc.oneof(text, fc.integer(), fc.double(), fc.boolean());
const array = fc.oneof(fc.array(text), fc.array(fc.option(fc.integer())), fc.array(fc.boolean()));
const invalid = fc.oneof(fc.constant({}), fc.array(fc.constantFrom('x', 1), { minLength: 2 }), fc.constant([[1]]));
const value = fc.oneof(simple, array, invalid as fc.Arbitrary<never>);
const maybeValue = fc.oneof(value, fc.constantFrom(undefined, null as never));
const attributes = (values: fc.Arbitrary<Attributes[string]>): fc.Arbitrary<Attributes> => fc.dictionary(key, values);
const time = fc.tuple(fc.integer({ min: 1_789_999_999, max: 1_790_000_002 }), fc.nat(999_999_999));
const link = fc.record({ context: fc.constant(parentContext), attributes: attributes(value) });
const status = fc.record(
  { code: fc.constantFrom(SpanStatusCode.UNSET, SpanStatusCode.OK, SpanStatusCode.ERROR), message: text },
  { requiredKeys: ['code'] },
);

type Step = (span: Span) => unknown;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(key, maybeValue).map(
    ([k, v]): Step =>
      (span) =>
        span.setAttribute(k, v as never),
  ),
  attributes(maybeValue).map(
    (all): Step =>
      (span) =>
        span.setAttributes(all),
  ),
  fc.tuple(text, attributes(value), time).map(
    ([name, all, at]): Step =>
      (span) =>
        span.addEvent(name, all, at),
  ),
  fc.tuple(text, time).map(
    ([name, at]): Step =>
      (span) =>
        span.addEvent(name, at),
  ),
  link.map(
    (one): Step =>
      (span) =>
        span.addLink(one),
  ),
  fc.array(link, { maxLength: 3 }).map(
    (some): Step =>
      (span) =>
        span.addLinks(some),
  ),
  status.map(
    (one): Step =>
      (span) =>
        span.setStatus(one),
  ),
  text.map(
    (name): Step =>
      (span) =>
        span.updateName(name),
  ),
  time.map(
    (at): Step =>
      (span) =>
        span.recordException(new RangeError('r'), at),
  ),
  time.map(
    (at): Step =>
      (span) =>
        span.end(at),
  ),
);
const limit = fc.option(fc.nat(4), { nil: undefined, freq: 2 });
const limits = fc.record({
  attributeCountLimit: limit,
  attributeValueLengthLimit: limit,
  eventCountLimit: limit,
  linkCountLimit: limit,
  attributePerEventCountLimit: limit,
  attributePerLinkCountLimit: limit,
}) as fc.Arbitrary<SpanLimits>;

function project(span: Span): object {
  const read = span as unknown as ReadableSpan;
  const { name, kind, startTime, endTime, status: end, links, duration, ended, parentSpanContext } = read;
  const { droppedAttributesCount, droppedEventsCount, droppedLinksCount } = read;
  // The stack differs between the two calls.
  const events = read.events.map((event) => ({ ...event, attributes: withoutStack(event.attributes) }));
  const dropped = [droppedAttributesCount, droppedEventsCount, droppedLinksCount];
  const attributes = Object.entries(read.attributes);
  return {
    name,
    kind,
    startTime,
    endTime,
    end,
    links,
    duration,
    ended,
    parentSpanContext,
    dropped,
    attributes,
    events,
  };
}

function withoutStack(all: Attributes = {}): Attributes {
  const { 'exception.stacktrace': _, ...rest } = all;
  return rest;
}

it('any sequence of calls gives the same span as with the SDK', () => {
  const context = trace.setSpanContext(ROOT_CONTEXT, parentContext);
  const options = fc.record({
    startTime: time,
    attributes: attributes(maybeValue),
    links: fc.array(link, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(limits, options, fc.boolean(), fc.array(step, { maxLength: 25 }), (spanLimits, start, take, steps) => {
      const spans = [BasicTracerProvider, ObserverTracerProvider].map((Provider) => {
        const own = { ...start, attributes: structuredClone(start.attributes), takeAttributes: take };
        const span = new Provider({ spanLimits }).getTracer('test').startSpan('span', own, context);
        for (const run of steps) run(span);
        return project(span);
      });
      expect(spans[1]).toEqual(spans[0]);
    }),
    { numRuns: 2000 },
  );
});
