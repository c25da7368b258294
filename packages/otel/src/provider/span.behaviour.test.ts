import { type HrTime, type SpanContext, SpanKind, type SpanOptions, SpanStatusCode } from '@opentelemetry/api';
import { BasicTracerProvider, type ReadableSpan, type SpanLimits } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { ObserverTracerProvider } from './observer-tracer-provider.js';

const PROVIDERS = [
  ['ObserverTracerProvider', ObserverTracerProvider],
  ['BasicTracerProvider', BasicTracerProvider],
] as const;

const START: HrTime = [1_790_000_000, 500_000_000];
const END: HrTime = [1_790_000_002, 250_000_000];
const context = (n: number): SpanContext => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: n.toString(16).padStart(16, '0'),
  traceFlags: 1,
});

describe.each(PROVIDERS)('a span of %s', (_, Provider) => {
  const start = (options: SpanOptions = {}, spanLimits: SpanLimits = {}) =>
    new Provider({ spanLimits })
      .getTracer('scope', '1.2', { schemaUrl: 'https://x.example/1' })
      .startSpan('span', options);
  const read = (span: unknown) => span as ReadableSpan;

  it('shows what it was started with', () => {
    const span = start({ kind: SpanKind.CLIENT, startTime: START });
    expect(read(span)).toMatchObject({ name: 'span', kind: SpanKind.CLIENT, startTime: START, ended: false });
    expect(read(span)).toMatchObject({ endTime: [0, 0], duration: [-1, -1], links: [], events: [], attributes: {} });
    expect(read(span)).toMatchObject({ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 });
    expect(read(span).parentSpanContext).toBeUndefined();
    expect(read(span).instrumentationScope).toEqual({
      name: 'scope',
      version: '1.2',
      schemaUrl: 'https://x.example/1',
    });
    expect(read(span).resource.attributes).toHaveProperty(['service.name']);
    expect(span.isRecording()).toBe(true);
  });

  it('is INTERNAL by default', () => {
    expect(read(start()).kind).toBe(SpanKind.INTERNAL);
  });

  it('changes its name until it ends', () => {
    const span = start().updateName('second');
    expect(read(span).name).toBe('second');
    span.end();
    expect(read(span.updateName('third')).name).toBe('second');
  });

  describe('status', () => {
    it('is UNSET at first', () => {
      expect(read(start()).status).toEqual({ code: SpanStatusCode.UNSET });
    });

    it('keeps a message with ERROR only', () => {
      expect(read(start().setStatus({ code: SpanStatusCode.ERROR, message: 'm' })).status).toEqual({
        code: 2,
        message: 'm',
      });
      expect(read(start().setStatus({ code: SpanStatusCode.OK, message: 'm' })).status).toEqual({ code: 1 });
      expect(read(start().setStatus({ code: SpanStatusCode.ERROR, message: {} as never })).status).toEqual({ code: 2 });
    });

    it('ignores UNSET, and everything after OK', () => {
      const span = start()
        .setStatus({ code: SpanStatusCode.ERROR, message: 'm' })
        .setStatus({ code: SpanStatusCode.UNSET });
      expect(read(span).status).toEqual({ code: 2, message: 'm' });
      span.setStatus({ code: SpanStatusCode.OK }).setStatus({ code: SpanStatusCode.ERROR, message: 'late' });
      expect(read(span).status).toEqual({ code: 1 });
    });
  });

  describe('times', () => {
    it('uses tuples as they are', () => {
      const span = start({ startTime: START });
      span.end(END);
      expect(read(span)).toMatchObject({ startTime: START, endTime: END, duration: [1, 750_000_000], ended: true });
    });

    it('takes epoch milliseconds and dates', () => {
      const span = start({ startTime: 1_790_000_000_250 });
      span.end(new Date(1_790_000_001_500));
      expect(read(span)).toMatchObject({ startTime: [1_790_000_000, 250_000_000], duration: [1, 250_000_000] });
    });

    it('takes a small number as a time of the performance clock', () => {
      const before = Date.now();
      const span = start({ startTime: performance.now() });
      const millis = read(span).startTime[0] * 1000 + read(span).startTime[1] / 1e6;
      expect(millis).toBeGreaterThan(before - 50);
      expect(millis).toBeLessThan(Date.now() + 50);
    });

    it('gives zero length to an end before the start', () => {
      const span = start({ startTime: END });
      span.end(START);
      expect(read(span)).toMatchObject({ startTime: END, endTime: END, duration: [0, 0] });
    });

    it('is now by default', () => {
      const before = Date.now();
      const span = start();
      span.end();
      const { startTime, endTime, duration } = read(span);
      expect(startTime[0] * 1000 + startTime[1] / 1e6).toBeGreaterThanOrEqual(before);
      expect(endTime[0] * 1000 + endTime[1] / 1e6).toBeLessThan(Date.now() + 50);
      expect(duration[0] === 0 && duration[1] >= 0).toBe(true);
    });

    it('ends once', () => {
      const span = start({ startTime: START });
      span.end(END);
      span.end([END[0] + 5, 0]);
      expect(read(span).endTime).toEqual(END);
      expect(span.isRecording()).toBe(false);
    });
  });

  describe('events', () => {
    it('takes attributes and a time, either, or neither', () => {
      const span = start({ startTime: START });
      span.addEvent('both', { a: 1 }, START).addEvent('time', END).addEvent('attributes', { b: 2 }).addEvent('none');
      span.addEvent('two times', START, END);
      expect(read(span).events.map(({ name, attributes }) => [name, attributes])).toEqual([
        ['both', { a: 1 }],
        ['time', {}],
        ['attributes', { b: 2 }],
        ['none', {}],
        ['two times', {}],
      ]);
      expect(read(span).events[0]).toMatchObject({ time: START, droppedAttributesCount: 0 });
      expect(read(span).events[1]?.time).toEqual(END);
      expect(read(span).events[3]?.time[0]).toBeGreaterThan(1_600_000_000);
      expect(read(span).events[4]?.time).toEqual(END);
    });

    it('drops the oldest over the limit', () => {
      const span = start({}, { eventCountLimit: 2 });
      for (const name of ['a', 'b', 'c', 'd']) span.addEvent(name);
      expect(read(span).events.map(({ name }) => name)).toEqual(['c', 'd']);
      expect(read(span).droppedEventsCount).toBe(2);
    });

    it('keeps none with a limit of 0', () => {
      const span = start({}, { eventCountLimit: 0 }).addEvent('a');
      expect(read(span)).toMatchObject({ events: [], droppedEventsCount: 1 });
    });

    it('limits the attributes of an event', () => {
      const limits = { attributePerEventCountLimit: 1, attributeValueLengthLimit: 2 };
      const span = start({}, limits).addEvent('a', { first: 'abc', second: 1, bad: {} as never });
      expect(read(span).events[0]).toMatchObject({ attributes: { first: 'ab' }, droppedAttributesCount: 1 });
    });
  });

  describe('links', () => {
    it('takes links at the start and later', () => {
      const span = start({ links: [{ context: context(1), attributes: { a: 1, bad: {} as never } }] });
      span
        .addLink({ context: context(2) })
        .addLinks([{ context: context(3) }, { context: context(4), attributes: {} }]);
      expect(read(span).links).toEqual([
        { context: context(1), attributes: { a: 1 } },
        { context: context(2) },
        { context: context(3) },
        { context: context(4) },
      ]);
    });

    it('drops the oldest over the limit', () => {
      const span = start({ links: [1, 2, 3].map((n) => ({ context: context(n) })) }, { linkCountLimit: 2 });
      span.addLink({ context: context(4) });
      expect(read(span).links).toEqual([{ context: context(3) }, { context: context(4) }]);
      expect(read(span).droppedLinksCount).toBe(2);
    });

    it('keeps none with a limit of 0', () => {
      const span = start({ links: [{ context: context(1) }] }, { linkCountLimit: 0 });
      expect(read(span)).toMatchObject({ links: [], droppedLinksCount: 1 });
    });

    it('limits the attributes of a link', () => {
      const limits = { attributePerLinkCountLimit: 1, attributeValueLengthLimit: 2 };
      const span = start({}, limits).addLink({ context: context(1), attributes: { first: 'abc', second: 1 } });
      expect(read(span).links[0]).toEqual({
        context: context(1),
        attributes: { first: 'ab' },
        droppedAttributesCount: 1,
      });
    });
  });

  describe('exceptions', () => {
    it.each([
      ['an error', new TypeError('broken'), { 'exception.type': 'TypeError', 'exception.message': 'broken' }],
      ['a string', 'broken', { 'exception.message': 'broken' }],
      ['a code', { code: 42, name: 'unused', message: 'm' }, { 'exception.type': '42', 'exception.message': 'm' }],
    ])('records %s', (_kind, exception, attributes) => {
      const span = start();
      span.recordException(exception, START);
      expect(read(span).events).toHaveLength(1);
      expect(read(span).events[0]).toMatchObject({ name: 'exception', time: START, attributes });
    });

    it('records the stack', () => {
      const span = start();
      span.recordException(new Error('x'));
      expect(read(span).events[0]?.attributes?.['exception.stacktrace']).toContain('span.behaviour.test');
    });

    it.each([[''], [{}], [undefined]])('ignores %j, which says nothing', (exception) => {
      const span = start();
      span.recordException(exception as never);
      expect(read(span).events).toEqual([]);
    });
  });

  it('ignores events, links, status and exceptions after its end', () => {
    const span = start();
    span.end();
    span
      .addEvent('e')
      .addLink({ context: context(1) })
      .setStatus({ code: SpanStatusCode.ERROR });
    span.recordException('late');
    expect(read(span)).toMatchObject({ events: [], links: [], status: { code: 0 }, droppedEventsCount: 0 });
  });
});
