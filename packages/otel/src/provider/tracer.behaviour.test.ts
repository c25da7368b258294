import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  context as contextApi,
  createTraceState,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  trace,
} from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ObserverTracerProvider } from './observer-tracer-provider.js';

const PROVIDERS = [
  ['ObserverTracerProvider', ObserverTracerProvider],
  ['BasicTracerProvider', BasicTracerProvider],
] as const;

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const below = (parts: object) =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: 1, ...parts });

const storage = new AsyncLocalStorage<Context>();
beforeAll(() => {
  contextApi.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, fn, self, ...args) => storage.run(active, () => fn.call(self as never, ...args)),
    bind: (_active, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
});
afterAll(() => contextApi.disable());

describe.each(PROVIDERS)('a tracer of %s', (_, Provider) => {
  const tracer = (sampler?: Sampler) => new Provider(sampler === undefined ? {} : { sampler }).getTracer('test');
  const start = (options: SpanOptions = {}, context: Context = ROOT_CONTEXT, sampler?: Sampler) =>
    tracer(sampler).startSpan('span', options, context);
  const read = (span: unknown) => span as ReadableSpan;

  it('is the same for the same name, version and schema URL', () => {
    const provider = new Provider();
    expect(provider.getTracer('a', '1')).toBe(provider.getTracer('a', '1'));
    expect(provider.getTracer('a', '1')).not.toBe(provider.getTracer('a', '2'));
    expect(provider.getTracer('a', '1')).not.toBe(provider.getTracer('a', '1', { schemaUrl: 'https://x.example' }));
  });

  it('makes valid, different, sampled ids for roots', () => {
    const contexts = Array.from({ length: 500 }, () => start().spanContext());
    expect(contexts.every((context) => trace.isSpanContextValid(context) && context.traceFlags === 1)).toBe(true);
    expect(new Set(contexts.map(({ traceId }) => traceId)).size).toBe(500);
    expect(new Set(contexts.map(({ spanId }) => spanId)).size).toBe(500);
  });

  it('continues the trace of a parent, its trace state included', () => {
    const traceState = createTraceState('a=1,b=2');
    const span = start({}, below({ traceState, isRemote: true }));
    expect(span.spanContext()).toMatchObject({ traceId: TRACE_ID, traceFlags: 1, traceState });
    expect(span.spanContext().spanId).not.toBe(SPAN_ID);
    expect(span.spanContext().isRemote).toBeUndefined();
    expect(read(span).parentSpanContext).toMatchObject({ spanId: SPAN_ID, isRemote: true });
  });

  it('nests under a span of its own', () => {
    const parent = start();
    const child = start({}, trace.setSpan(ROOT_CONTEXT, parent));
    expect(read(child).parentSpanContext).toBe(parent.spanContext());
    expect(child.spanContext().traceId).toBe(parent.spanContext().traceId);
  });

  it('starts a new trace where root is asked for', () => {
    const span = start({ root: true }, below({ traceState: createTraceState('a=1') }));
    expect(span.spanContext().traceId).not.toBe(TRACE_ID);
    expect(span.spanContext().traceState).toBeUndefined();
    expect(read(span).parentSpanContext).toBeUndefined();
  });

  it.each([{ traceId: 'zz' }, { spanId: '0'.repeat(16) }, { traceId: '0'.repeat(32) }, { spanId: 'short' }])(
    'ignores a parent that is not valid: %j',
    (parts) => {
      const span = start({}, below(parts));
      expect(trace.isSpanContextValid(span.spanContext())).toBe(true);
      expect(span.spanContext().traceId).not.toBe(TRACE_ID);
      expect(read(span).parentSpanContext).toBeUndefined();
    },
  );

  it('does not record below a parent that is not sampled', () => {
    const span = start({}, below({ traceFlags: 0 }));
    expect(span.isRecording()).toBe(false);
    expect(span.spanContext()).toMatchObject({ traceId: TRACE_ID, traceFlags: 0 });
    expect(trace.isSpanContextValid(span.spanContext())).toBe(true);
  });

  it('makes no span where tracing is suppressed', () => {
    const span = start({}, suppressTracing(below({})));
    expect(span.isRecording()).toBe(false);
    expect(span.spanContext()).toEqual(INVALID_SPAN_CONTEXT);
  });

  it('uses the active context, and makes a span active', () => {
    const own = tracer();
    const seen = contextApi.with(below({}), () =>
      own.startActiveSpan('outer', (outer) => {
        expect(trace.getActiveSpan()).toBe(outer);
        return [outer, own.startSpan('inner')] as const;
      }),
    );
    expect(read(seen[0]).parentSpanContext?.spanId).toBe(SPAN_ID);
    expect(read(seen[1]).parentSpanContext).toBe(seen[0].spanContext());
  });

  it('takes options and a context for an active span', () => {
    const own = tracer();
    const kind = own.startActiveSpan('a', { kind: SpanKind.CLIENT }, (span) => read(span).kind);
    const parent = own.startActiveSpan('a', {}, below({}), (span) => read(span).parentSpanContext?.spanId);
    expect([kind, parent]).toEqual([SpanKind.CLIENT, SPAN_ID]);
    expect(() =>
      own.startActiveSpan('a', () => {
        throw new Error('of the caller');
      }),
    ).toThrow('of the caller');
  });

  describe('with a sampler', () => {
    it('does not record what the sampler refuses', () => {
      const span = start({ attributes: { a: 1 } }, below({}), new AlwaysOffSampler());
      expect(span.isRecording()).toBe(false);
      expect(span.spanContext()).toMatchObject({ traceId: TRACE_ID, traceFlags: 0 });
    });

    it('follows a ratio of trace ids', () => {
      const own = tracer(new TraceIdRatioBasedSampler(0.5));
      const inTrace = (traceId: string) => own.startSpan('s', {}, below({ traceId })).isRecording();
      expect(inTrace('0000000100000000000000000000000f')).toBe(true);
      expect(inTrace('ffffffff000000000000000000000000')).toBe(false);
    });

    it('follows the parent, or the root sampler', () => {
      const sampler = new ParentBasedSampler({ root: new AlwaysOffSampler() });
      expect(start({}, below({}), sampler).isRecording()).toBe(true);
      expect(start({}, below({ traceFlags: 0 }), sampler).isRecording()).toBe(false);
      expect(start({}, ROOT_CONTEXT, sampler).isRecording()).toBe(false);
    });

    it('shows the sampler the span, and takes its attributes and trace state', () => {
      const seen: unknown[] = [];
      const traceState = createTraceState('s=1');
      const sampler: Sampler = {
        shouldSample: (_context, ...rest) => {
          seen.push(structuredClone(rest));
          return { decision: SamplingDecision.RECORD_AND_SAMPLED, attributes: { a: 2, s: 'x' }, traceState };
        },
        toString: () => 'test',
      };
      const links = [{ context: { traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: 1 }, attributes: { l: 1 } }];
      const attributes = Object.freeze({ a: 1, bad: {} as never });
      const span = start({ kind: SpanKind.SERVER, attributes, links }, below({}), sampler);
      expect(seen).toEqual([[TRACE_ID, 'span', SpanKind.SERVER, { a: 1 }, links]]);
      expect(read(span).attributes).toEqual({ a: 2, s: 'x' });
      expect(span.spanContext().traceState).toBe(traceState);
    });

    it('records without the sampled flag on RECORD', () => {
      const sampler: Sampler = {
        shouldSample: () => ({ decision: SamplingDecision.RECORD }),
        toString: () => 'record',
      };
      const span = start({}, below({}), sampler);
      expect(span.isRecording()).toBe(true);
      expect(span.spanContext().traceFlags).toBe(0);
    });
  });
});
