import { type Context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  type ReadableSpan,
  SamplingDecision,
  SimpleSpanProcessor,
  type Span,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { ObserverTracerProvider } from './observer-tracer-provider.js';

const PROVIDERS = [
  ['ObserverTracerProvider', ObserverTracerProvider],
  ['BasicTracerProvider', BasicTracerProvider],
] as const;

class Recorder implements SpanProcessor {
  readonly calls: string[] = [];
  onStart(span: Span, _context: Context): void {
    this.calls.push(`start ${span.name}`);
  }
  onEnd(span: ReadableSpan): void {
    this.calls.push(`end ${span.name} ${span.ended}`);
  }
  async forceFlush(): Promise<void> {
    this.calls.push('flush');
  }
  async shutdown(): Promise<void> {
    this.calls.push('shutdown');
  }
}

describe.each(PROVIDERS)('span processors of %s', (_, Provider) => {
  const withProcessors = (...spanProcessors: SpanProcessor[]) => {
    const provider = new Provider({ spanProcessors });
    return { provider, tracer: provider.getTracer('test') };
  };

  it('are called in order, at the start and at the end', () => {
    const calls: string[] = [];
    const named = (name: string): SpanProcessor =>
      Object.assign(new Recorder(), {
        onStart: () => calls.push(`${name} start`),
        onEnd: () => calls.push(`${name} end`),
      });
    const span = withProcessors(named('a'), named('b')).tracer.startSpan('s');
    span.end();
    span.end();
    expect(calls).toEqual(['a start', 'b start', 'a end', 'b end']);
  });

  it('see the parent context and may change the span at its start', () => {
    const key = createContextKey('tenant');
    const seen: unknown[] = [];
    const recorder = new Recorder();
    recorder.onStart = (span, context) => {
      span.setAttribute('tenant', context.getValue(key) as string);
      span.updateName(`${span.name}!`);
      seen.push(span.attributes.a);
    };
    const { tracer } = withProcessors(recorder);
    const span = tracer.startSpan('s', { attributes: { a: 1 } }, ROOT_CONTEXT.setValue(key, 'acme'));
    expect(span).toMatchObject({ name: 's!', attributes: { a: 1, tenant: 'acme' } });
    expect(seen).toEqual([1]);
  });

  it('may change the span while it is ending, with its end time set', () => {
    const seen: unknown[] = [];
    const recorder: SpanProcessor = Object.assign(new Recorder(), {
      onEnding: (span: Span) => {
        span.setAttribute('ending', span.isRecording());
        seen.push(span.endTime, span.duration, span.ended);
      },
    });
    const span = withProcessors(recorder).tracer.startSpan('s', { startTime: [2_000_000_000, 0] });
    span.end([2_000_000_001, 0]);
    expect(span).toMatchObject({ attributes: { ending: true }, ended: true });
    expect(seen).toEqual([[2_000_000_001, 0], [1, 0], false]);
    expect((recorder as Recorder).calls).toEqual(['start s', 'end s true']);
  });

  it('are not called for spans that do not record', () => {
    const recorder = new Recorder();
    const sampler = { shouldSample: () => ({ decision: SamplingDecision.NOT_RECORD }), toString: () => 'off' };
    new Provider({ spanProcessors: [recorder], sampler }).getTracer('test').startSpan('s').end();
    expect(recorder.calls).toEqual([]);
  });

  it('get spans that record without being sampled; stock ones do not export them', async () => {
    const recorder = new Recorder();
    const exporter = new InMemorySpanExporter();
    const provider = new Provider({
      spanProcessors: [recorder, new SimpleSpanProcessor(exporter)],
      sampler: { shouldSample: () => ({ decision: SamplingDecision.RECORD }), toString: () => 'record' },
    });
    provider.getTracer('test').startSpan('s').end();
    await provider.forceFlush();
    expect(recorder.calls).toEqual(['start s', 'end s true', 'flush']);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it.each([
    ['SimpleSpanProcessor', SimpleSpanProcessor],
    ['BatchSpanProcessor', BatchSpanProcessor],
  ])('may be a stock %s', async (_name, Processor) => {
    const exporter = new InMemorySpanExporter();
    const resource = resourceFromAttributes({ 'service.name': 'svc' });
    const provider = new Provider({ spanProcessors: [new Processor(exporter)], resource });
    const tracer = provider.getTracer('test');
    const parent = tracer.startSpan('parent');
    tracer
      .startSpan('child', { attributes: { a: 1 } })
      .setStatus({ code: 2, message: 'm' })
      .end();
    parent.end();
    await provider.forceFlush();
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name, resource, status }) => [name, resource.attributes['service.name'], status.code])).toEqual(
      [
        ['child', 'svc', 2],
        ['parent', 'svc', 0],
      ],
    );
    await provider.shutdown();
  });

  it('are waited for by a stock processor while a resource resolves', async () => {
    const exporter = new InMemorySpanExporter();
    const resource = resourceFromAttributes({
      late: new Promise<string>((resolve) => setTimeout(resolve, 20, 'known')),
    });
    const provider = new Provider({ spanProcessors: [new BatchSpanProcessor(exporter)], resource });
    provider.getTracer('test').startSpan('s').end();
    await provider.forceFlush();
    expect(exporter.getFinishedSpans()[0]?.resource.attributes.late).toBe('known');
  });

  it('are all flushed and shut down', async () => {
    const recorders = [new Recorder(), new Recorder()];
    const { provider } = withProcessors(...recorders);
    await provider.forceFlush();
    await provider.shutdown();
    expect(recorders.map(({ calls }) => calls)).toEqual([
      ['flush', 'shutdown'],
      ['flush', 'shutdown'],
    ]);
  });

  it('make forceFlush reject when one fails, after the others have flushed', async () => {
    const good = new Recorder();
    const bad = Object.assign(new Recorder(), { forceFlush: () => Promise.reject(new Error('no')) });
    await expect(withProcessors(bad, good).provider.forceFlush()).rejects.toBeTruthy();
    expect(good.calls).toEqual(['flush']);
  });

  it('make forceFlush reject when one takes too long', async () => {
    const stuck = Object.assign(new Recorder(), { forceFlush: () => new Promise<void>(() => {}) });
    await expect(withProcessors(stuck).provider.forceFlush({ timeoutMillis: 10 })).rejects.toBeTruthy();
  });

  it('export nothing after shutdown', async () => {
    const exporter = new InMemorySpanExporter();
    const { provider, tracer } = withProcessors(new SimpleSpanProcessor(exporter));
    const open = tracer.startSpan('open');
    await provider.shutdown();
    open.end();
    tracer.startSpan('late').end();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
