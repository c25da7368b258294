import { type ReadableSpan, SCOPE_NAME } from '@hermes-observer/otel';
import { describe, expect, it } from 'vitest';
import { CumulativeMeters } from './cumulative/cumulative-meters.js';
import { LogRequests } from './logs/otlp-logs.js';
import { logRecordsOf } from './logs/span-log-records.js';
import { MetricSpanProcessor } from './metrics/metric-span-processor.js';
import { Series } from './metrics/series.js';

function spanWith(attributes: object, changes: object = {}): ReadableSpan {
  const context = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };
  return {
    name: 'chat',
    kind: 2,
    spanContext: () => context,
    startTime: [1_700_000_000, 0],
    endTime: [1_700_000_002, 0],
    duration: [2, 0],
    status: { code: 0 },
    attributes: { 'gen_ai.operation.name': 'chat', ...attributes },
    links: [],
    events: [],
    ended: true,
    resource: { attributes: {} },
    instrumentationScope: { name: SCOPE_NAME },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    ...changes,
  } as unknown as ReadableSpan;
}

function measured(...spans: readonly ReadableSpan[]) {
  const meters = new CumulativeMeters([0, 0]);
  const errors: unknown[] = [];
  const processor = new MetricSpanProcessor(meters, { isDeferred: false, onError: (error) => errors.push(error) });
  for (const span of spans) processor.onEnd(span);
  return { meters, errors, processor };
}

describe('metrics of hostile spans', () => {
  it.each([
    ['numbers without end', { 'gen_ai.usage.input_tokens': Number.POSITIVE_INFINITY, 'hermes.cost.usd': 1e308 }, {}],
    ['numbers that are none', { 'gen_ai.usage.input_tokens': Number.NaN, 'hermes.cost.usd': Number.NaN }, {}],
    ['negative durations', {}, { duration: [-5, 0] }],
    ['durations that are none', {}, { duration: [Number.NaN, 0] }],
    ['durations without end', {}, { duration: [Number.POSITIVE_INFINITY, 0] }],
  ])('%s leave sums that only grow', (_, attributes, changes) => {
    const span = spanWith(attributes, changes);
    const { meters, errors } = measured(span, span);
    expect(errors).toEqual([]);
    const saved = JSON.parse(JSON.stringify(meters.save()));
    for (const series of Object.values(saved.metrics) as [object, number | { sum: number; min: number }][][]) {
      for (const [, value] of series) {
        const sum = typeof value === 'object' ? value?.sum : value;
        expect(sum).toBeTypeOf('number');
        expect(sum).toBeGreaterThanOrEqual(0);
      }
    }
    new CumulativeMeters([0, 0]).restore(saved);
  });

  it('operations named as what all objects have are none', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      const { meters, errors } = measured(spanWith({ 'gen_ai.operation.name': name }));
      expect(errors).toEqual([]);
      expect(meters.save().metrics).toEqual({});
    }
  });

  it('spans that cannot be measured are counted', () => {
    const span = spanWith({});
    Object.defineProperty(span, 'attributes', {
      get() {
        throw new Error('no');
      },
    });
    const { errors, processor } = measured(span, span);
    expect(errors).toHaveLength(1);
    expect(processor.failedSpans).toBe(2);
  });
});

it('labels with separators in them are no others', () => {
  const series = new Series(['a', 'b']);
  const of = (attributes: Record<string, string | number>) => series.of(attributes, () => attributes);
  expect(of({ a: 'x\0y' })).toEqual({ a: 'x\0y' });
  expect(of({ a: 'x', b: 'y' })).toEqual({ a: 'x', b: 'y' });
  expect(of({ a: 'x\0', b: 'y' })).toEqual({ a: 'x\0', b: 'y' });
  expect(of({ a: 1 })).toEqual({ a: 1 });
  expect(of({ a: '1' })).toEqual({ a: '1' });
});

it('labels are never cut inside a character', () => {
  const value = `${'x'.repeat(255)}😀`;
  expect(new Series(['a']).of({ a: value }, () => ({ a: value })).a).toBe('x'.repeat(255));
});

describe('log records of hostile spans', () => {
  const deep = (levels: number) => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`;
  const encoded = (attributes: object, changes: object = {}) =>
    new LogRequests({}, 4 * 1024 * 1024)
      .of(logRecordsOf(spanWith(attributes, changes)))
      .map(({ body }) => JSON.parse(Buffer.from(body).toString()));

  it.each([50, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 20_000])('messages of %d levels', (levels) => {
    const [request] = encoded({ 'gen_ai.output.messages': deep(levels) });
    const most = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(most)) : 0;
    expect(most(request)).toBeLessThan(300);
  });

  it.each([
    ['times', {}, { endTime: [Number.NaN, 0], events: [{ name: 'hermes.api.attempt_failed', time: [-1, -1] }] }],
    ['values', { 'gen_ai.request.model': 10n, 'gen_ai.input.messages': { a: 10n }, 'error.type': () => 1 }, {}],
    ['halves of characters', { 'gen_ai.input.messages': '["\\ud800"]', 'gen_ai.request.model': '\ud800' }, {}],
    ['names', { 'gen_ai.input.messages': '[{"__proto__":{"x":1},"\\ud800":1}]' }, {}],
  ])('%s that are none', (_, attributes, changes) => {
    const [request] = encoded(attributes, changes);
    const text = JSON.stringify(request);
    expect(text).toContain('gen_ai.client.inference.operation.details');
    expect(text).not.toMatch(/\\ud[89ab]/i);
    for (const [, nanos] of text.matchAll(/nixNano":"([^"]*)"/g)) expect(nanos).toMatch(/^\d{1,20}$/);
  });
});
