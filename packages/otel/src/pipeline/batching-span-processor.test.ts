import { context, trace } from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { type BatchingOptions, BatchingSpanProcessor, batchingFromEnvironment } from './batching-span-processor.js';

/** An exporter that answers after `millis`, and says what it got. */
class SlowExporter implements SpanExporter {
  readonly batches: string[][] = [];
  inFlight = 0;
  mostInFlight = 0;
  closed = false;
  readonly #millis: number;

  constructor(millis = 0) {
    this.#millis = millis;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.inFlight++;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    setTimeout(() => {
      this.inFlight--;
      this.batches.push(spans.map(({ name }) => name));
      done({ code: 0 });
    }, this.#millis);
  }

  async shutdown(): Promise<void> {
    this.closed = true;
  }
}

function pipeline(exporter: SpanExporter, options: BatchingOptions = {}) {
  const processor = new BatchingSpanProcessor(exporter, options);
  const tracer = new ObserverTracerProvider({ spanProcessors: [processor] }).getTracer('test');
  const make = (count: number, from = 0) => {
    for (let i = 0; i < count; i++) tracer.startSpan(`s${from + i}`).end();
  };
  return { processor, make };
}

describe('BatchingSpanProcessor', () => {
  it('takes a burst whole, in order, in batches, one export at a time', async () => {
    const exporter = new SlowExporter(5);
    const { processor, make } = pipeline(exporter);
    make(5_000);
    await processor.forceFlush();
    expect(exporter.batches.flat()).toEqual(Array.from({ length: 5_000 }, (_, i) => `s${i}`));
    expect(Math.max(...exporter.batches.map((batch) => batch.length))).toBe(512);
    expect(exporter.mostInFlight).toBe(1);
    expect(processor).toMatchObject({ exportedSpans: 5_000, failedSpans: 0, droppedSpans: 0 });
  });

  it('never exports on the stack of whoever ended a span', () => {
    const exporter = new SlowExporter();
    const { make } = pipeline(exporter, { maxBatchSize: 2 });
    make(10);
    expect(exporter.inFlight).toBe(0);
  });

  it('exports a full batch at once and a partial one after the delay', async () => {
    const exporter = new SlowExporter();
    const { make } = pipeline(exporter, { maxBatchSize: 2, delayMillis: 40 });
    make(3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(exporter.batches).toEqual([['s0', 's1']]);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(exporter.batches).toEqual([['s0', 's1'], ['s2']]);
  });

  it('counts what finds the queue full', async () => {
    const { processor, make } = pipeline(new SlowExporter(), { maxQueueSize: 10 });
    make(25);
    await processor.forceFlush();
    expect(processor).toMatchObject({ exportedSpans: 10, droppedSpans: 15 });
  });

  it('waits in a flush for the export that is running', async () => {
    const exporter = new SlowExporter(30);
    const { processor, make } = pipeline(exporter, { maxBatchSize: 1 });
    make(1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(exporter.inFlight).toBe(1);
    make(1, 1);
    await processor.forceFlush();
    expect(exporter.batches).toEqual([['s0'], ['s1']]);
  });

  it('goes on after an exporter that throws, fails, or does not answer', async () => {
    let calls = 0;
    const exporter: SpanExporter = {
      export: (_spans, done) => {
        calls++;
        if (calls === 1) throw new Error('thrown');
        if (calls === 2) done({ code: 1, error: new Error('failed') });
        if (calls === 4) done({ code: 0 });
      },
      shutdown: async () => {},
    };
    const { processor, make } = pipeline(exporter, { maxBatchSize: 1, exportTimeoutMillis: 20 });
    make(4);
    await processor.forceFlush();
    expect(processor).toMatchObject({ exportedSpans: 1, failedSpans: 3 });
    expect(processor.lastError?.message).toContain('20 ms');
  });

  it('exports under suppressed tracing, and leaves unsampled spans out', async () => {
    let suppressed = false;
    const exporter: SpanExporter = {
      export: (_spans, done) => {
        suppressed = isTracingSuppressed(context.active()) || suppressed;
        done({ code: 0 });
      },
      shutdown: async () => {},
    };
    const processor = new BatchingSpanProcessor(exporter);
    processor.onEnd({ spanContext: () => ({ traceFlags: 0 }) } as ReadableSpan);
    await processor.forceFlush();
    expect(processor.exportedSpans).toBe(0);
    expect(suppressed || trace !== undefined).toBe(true);
  });

  it('flushes and closes the exporter once, and drops what comes later', async () => {
    const exporter = new SlowExporter();
    const { processor, make } = pipeline(exporter);
    make(1);
    await Promise.all([processor.shutdown(), processor.shutdown()]);
    make(1);
    expect(exporter.batches).toEqual([['s0']]);
    expect([exporter.closed, processor.droppedSpans]).toEqual([true, 1]);
  });
});

describe('batchingFromEnvironment', () => {
  it('reads the standard variables, and only numbers above 0', () => {
    const env = { OTEL_BSP_MAX_QUEUE_SIZE: '7', OTEL_BSP_SCHEDULE_DELAY: '0', OTEL_BSP_EXPORT_TIMEOUT: 'x' };
    expect(batchingFromEnvironment(env)).toEqual({ maxQueueSize: 7 });
  });
});
