import { ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { ObserverTracerProvider, type ObserverTracerProviderOptions } from './observer-tracer-provider.js';
import { observerResource } from './resource.js';
import type { ObserverSpanOptions } from './tracer.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const OTHER_ID = '00f067aa0ba902b7';
const read = (span: Span) => span as unknown as ReadableSpan;
const parentContext = trace.setSpanContext(ROOT_CONTEXT, { traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: 1 });

function start(
  options: ObserverSpanOptions,
  context = ROOT_CONTEXT,
  provider: ObserverTracerProviderOptions = {},
): Span {
  return new ObserverTracerProvider(provider).getTracer('test').startSpan('span', options, context);
}

function processor(parts: Partial<SpanProcessor>): SpanProcessor {
  return { onStart() {}, onEnd() {}, forceFlush: async () => {}, shutdown: async () => {}, ...parts };
}

describe('ids given by the caller', () => {
  it('are those of a root', () => {
    expect(start({ ids: { traceId: TRACE_ID, spanId: OTHER_ID } }).spanContext()).toMatchObject({
      traceId: TRACE_ID,
      spanId: OTHER_ID,
    });
  });

  it('give way to the trace id of a parent', () => {
    const span = start({ ids: { traceId: 'f'.repeat(32), spanId: OTHER_ID } }, parentContext);
    expect(span.spanContext()).toMatchObject({ traceId: TRACE_ID, spanId: OTHER_ID });
  });

  it('stand on a span that is not sampled', () => {
    const unsampled = trace.setSpanContext(ROOT_CONTEXT, { traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: 0 });
    const span = start({ ids: { traceId: TRACE_ID, spanId: OTHER_ID } }, unsampled);
    expect(span.isRecording()).toBe(false);
    expect(span.spanContext().spanId).toBe(OTHER_ID);
  });

  it.each([
    { traceId: 'zz', spanId: OTHER_ID },
    { traceId: TRACE_ID, spanId: '0'.repeat(16) },
  ])('are replaced where they are not valid: %j', (ids) => {
    expect(trace.isSpanContextValid(start({ ids }).spanContext())).toBe(true);
  });
});

describe('takeAttributes', () => {
  it('keeps the object itself, and its arrays', () => {
    const attributes = { a: 1, list: ['x'] };
    const span = start({ attributes, takeAttributes: true }).setAttribute('b', 2);
    expect(read(span).attributes).toBe(attributes);
    expect(attributes).toEqual({ a: 1, list: ['x'], b: 2 });
  });

  it.each([
    ['undefined values', { a: 1, b: undefined }, {}, { a: 1 }],
    ['invalid values', { a: 1, b: {} as never }, {}, { a: 1 }],
    ['an empty key', { a: 1, '': 2 }, {}, { a: 1 }],
    ['long strings', { a: 'abc' }, { attributeValueLengthLimit: 2 }, { a: 'ab' }],
    ['long strings in arrays', { a: ['abc'] }, { attributeValueLengthLimit: 2 }, { a: ['ab'] }],
    ['too many keys', { a: 1, b: 2 }, { attributeCountLimit: 1 }, { a: 1 }],
    ['a prototype of its own', Object.assign(Object.create({ x: 1 }), { a: 1 }), {}, { a: 1 }],
  ])('copies an object with %s', (_, attributes, spanLimits, expected) => {
    const span = start({ attributes, takeAttributes: true }, ROOT_CONTEXT, { spanLimits });
    expect(read(span).attributes).not.toBe(attributes);
    expect(read(span).attributes).toEqual(expected);
  });
});

describe('a span', () => {
  it('does not split a surrogate pair when it cuts a value', () => {
    const span = start({ attributes: { a: 'x😀' } }, ROOT_CONTEXT, { spanLimits: { attributeValueLengthLimit: 2 } });
    expect(read(span).attributes).toEqual({ a: 'x' });
  });

  it('never gets __proto__ as a key', () => {
    const attributes = JSON.parse('{"__proto__":["x"],"a":1}');
    const span = start({ attributes }).setAttribute('__proto__', ['y']);
    span.addEvent('e', attributes);
    expect(Object.getPrototypeOf(read(span).attributes)).toBe(Object.prototype);
    expect(read(span).attributes).toEqual({ a: 1 });
    expect(read(span).events[0]?.attributes).toEqual({ a: 1 });
  });

  it('works behind a proxy and as a prototype', () => {
    const span = start({ startTime: [1, 0], attributes: { a: 1 } });
    span.end([2, 0]);
    for (const wrapped of [new Proxy(read(span), {}), Object.create(read(span)) as ReadableSpan]) {
      expect([wrapped.duration, wrapped.ended, wrapped.links, wrapped.droppedLinksCount]).toEqual([
        [1, 0],
        true,
        [],
        0,
      ]);
      expect(wrapped.spanContext()).toBe(span.spanContext());
    }
  });

  it('ends once when a processor ends it again while it is ending', () => {
    let calls = 0;
    const provider = {
      spanProcessors: [
        processor({
          onEnding: (span) => {
            calls++;
            span.end([9, 0]);
          },
        }),
      ],
    };
    const span = start({ startTime: [1, 0] }, ROOT_CONTEXT, provider);
    span.end([2, 0]);
    expect([calls, read(span).endTime]).toEqual([1, [2, 0]]);
  });

  it('survives an exception whose fields throw', () => {
    const span = start({});
    const hostile = new Proxy(new Error(), {
      get() {
        throw new Error('hostile');
      },
    });
    span.recordException(hostile);
    expect(read(span).events).toEqual([]);
  });
});

describe('a processor that fails', () => {
  it('never reaches the caller, is told of once a stage, and does not stop the next one', () => {
    const errors: string[] = [];
    const ended: string[] = [];
    const fail = () => {
      throw new Error('no');
    };
    const provider = new ObserverTracerProvider({
      spanProcessors: [
        processor({ onStart: fail, onEnding: fail, onEnd: fail }),
        processor({ onEnd: (span) => ended.push(span.name) }),
      ],
      onError: (error, where) => errors.push(`${where} ${(error as Error).message}`),
    });
    for (const name of ['a', 'b']) provider.getTracer('t').startSpan(name).end();
    expect(ended).toEqual(['a', 'b']);
    expect(errors).toEqual(['Object.onStart no', 'Object.onEnding no', 'Object.onEnd no']);
    expect(provider.counts).toMatchObject({ started: 2, ended: 2, processorErrors: 6 });
  });

  it('may reject later, and onError may throw', async () => {
    const provider = new ObserverTracerProvider({
      spanProcessors: [processor({ onEnd: (async () => Promise.reject(new Error('later'))) as () => void })],
      onError: () => {
        throw new Error('from onError');
      },
    });
    provider.getTracer('t').startSpan('a').end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(provider.counts.processorErrors).toBe(1);
  });

  it('comes as one AggregateError from forceFlush and shutdown', async () => {
    const spanProcessors = [
      processor({
        forceFlush: () => Promise.reject(new Error('flush')),
        shutdown: () => Promise.reject(new Error('shut')),
      }),
      processor({
        forceFlush: () => {
          throw new Error('sync');
        },
      }),
    ];
    const provider = new ObserverTracerProvider({ spanProcessors });
    await expect(provider.forceFlush()).rejects.toMatchObject({ errors: [new Error('flush'), new Error('sync')] });
    await expect(provider.shutdown()).rejects.toMatchObject({ errors: [new Error('shut')] });
  });
});

it('samples as the parent does when the sampler throws', () => {
  const errors: unknown[] = [];
  const sampler = {
    shouldSample: () => {
      throw new Error('sampler');
    },
  };
  const provider = new ObserverTracerProvider({ sampler, onError: (_, where) => errors.push(where) });
  const tracer = provider.getTracer('t');
  expect(tracer.startSpan('a', { attributes: { a: 1 } })).toMatchObject({ attributes: { a: 1 } });
  expect(tracer.startSpan('b').isRecording()).toBe(true);
  expect(errors).toEqual(['sampler']);
  expect(provider.counts.samplerErrors).toBe(2);
});

describe('after shutdown', () => {
  it('spans do not record, keep the trace going, and open ones are counted', async () => {
    const ended: string[] = [];
    const provider = new ObserverTracerProvider({ spanProcessors: [processor({ onEnd: (s) => ended.push(s.name) })] });
    const tracer = provider.getTracer('t');
    const open = tracer.startSpan('open');
    await provider.shutdown();
    open.end();
    const late = tracer.startSpan('late', {}, parentContext);
    expect(late.isRecording()).toBe(false);
    expect(late.spanContext()).toMatchObject({ traceId: TRACE_ID, spanId: SPAN_ID });
    expect(trace.isSpanContextValid(tracer.startSpan('root').spanContext())).toBe(false);
    expect(ended).toEqual([]);
    expect(provider.counts).toMatchObject({ started: 1, ended: 1, endedAfterShutdown: 1 });
  });

  it('shuts each processor down once', async () => {
    let calls = 0;
    const provider = new ObserverTracerProvider({
      spanProcessors: [processor({ shutdown: async () => void calls++ })],
    });
    await Promise.all([provider.shutdown(), provider.shutdown()]);
    await provider.shutdown();
    expect(calls).toBe(1);
  });
});

describe('observerResource', () => {
  it('has a service name and a host name, and nothing random', () => {
    const { attributes } = observerResource('svc', { 'deployment.environment.name': 'test' });
    expect(Object.keys(attributes)).toEqual(['service.name', 'host.name', 'deployment.environment.name']);
    expect(attributes['service.name']).toBe('svc');
  });

  it('takes the name of the environment, else the default', () => {
    const before = process.env.OTEL_SERVICE_NAME;
    try {
      process.env.OTEL_SERVICE_NAME = 'from-env';
      expect(observerResource().attributes['service.name']).toBe('from-env');
      delete process.env.OTEL_SERVICE_NAME;
      expect(observerResource().attributes['service.name']).toBe('hermes-agent');
    } finally {
      if (before !== undefined) process.env.OTEL_SERVICE_NAME = before;
    }
  });

  it('merges as the SDK does', () => {
    const merged = observerResource('a').merge(observerResource('b', { extra: 1 }));
    expect(merged.attributes).toMatchObject({ 'service.name': 'b', extra: 1 });
    expect(observerResource('a').merge(null).attributes['service.name']).toBe('a');
    expect(merged.getRawAttributes()).toContainEqual(['extra', 1]);
  });
});
