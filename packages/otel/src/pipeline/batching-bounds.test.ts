import { InMemorySpanExporter, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it, vi } from 'vitest';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import type { CountedResult } from '../sdk/counted-result.js';
import { type BatchingOptions, BatchingSpanProcessor } from './batching-span-processor.js';

type Done = (result: CountedResult) => void;

/** Answers when it is told to. */
class HeldExporter implements SpanExporter {
  readonly batches: ReadableSpan[][] = [];
  readonly #held: Done[] = [];
  flushed = 0;
  closed = 0;

  export(spans: ReadableSpan[], done: Done): void {
    this.batches.push(spans);
    this.#held.push(done);
  }

  answer(result: CountedResult = { code: 0 }): void {
    this.#held.shift()?.(result);
  }

  async forceFlush(): Promise<void> {
    this.flushed++;
  }

  async shutdown(): Promise<void> {
    this.closed++;
  }

  get names(): string[][] {
    return this.batches.map((batch) => batch.map(({ name }) => name));
  }
}

function pipeline(options: BatchingOptions = {}, exporter = new HeldExporter()) {
  const processor = new BatchingSpanProcessor(exporter, options);
  const tracer = new ObserverTracerProvider({ spanProcessors: [processor] }).getTracer('test');
  const make = (name: string, bytes = 0) =>
    void tracer.startSpan(name, { attributes: { text: 'x'.repeat(bytes) } }).end();
  return { processor, make, exporter };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const KB = 1_000;

describe('bytes', () => {
  it('bound what waits, the batch under way included; the newest are dropped and counted', async () => {
    const { processor, make, exporter } = pipeline({ maxQueueBytes: 100 * KB, maxBatchBytes: 30 * KB });
    for (let i = 0; i < 30; i++) make(`s${i}`, 10 * KB);
    await turn();
    for (let i = 30; i < 60; i++) make(`s${i}`, 10 * KB);
    expect(processor.pendingBytes).toBeLessThanOrEqual(100 * KB);
    expect(processor.pendingSpans).toBe(9);
    expect(processor.droppedByReason).toEqual({ queue_full: 51, already_shutdown: 0 });
    const flushed = processor.forceFlush();
    for (let i = 0; i < 10; i++) {
      exporter.answer();
      await turn();
    }
    await flushed;
    expect(exporter.names.flat()).toEqual(Array.from({ length: 9 }, (_, i) => `s${i}`));
    expect([processor.pendingBytes, processor.pendingSpans]).toEqual([0, 0]);
    make('room again', 10 * KB);
    expect(processor.pendingSpans).toBe(1);
  });

  it('bound a batch, in order, and a batch that is full by them goes at once', async () => {
    const { processor, make, exporter } = pipeline({ maxBatchBytes: 25 * KB });
    for (let i = 0; i < 7; i++) make(`s${i}`, i === 3 ? 1 * KB : 10 * KB);
    await turn();
    expect(exporter.names).toEqual([['s0', 's1']]);
    const flushed = processor.forceFlush();
    for (let i = 0; i < 5; i++) {
      exporter.answer();
      await turn();
    }
    await flushed;
    expect(exporter.names).toEqual([
      ['s0', 's1'],
      ['s2', 's3', 's4'],
      ['s5', 's6'],
    ]);
  });

  it('let a span that is larger than a batch, or than the queue, go alone', async () => {
    const { processor, make, exporter } = pipeline({ maxQueueBytes: 50 * KB, maxBatchBytes: 20 * KB });
    make('huge', 500 * KB);
    make('after', 1 * KB);
    await turn();
    expect(exporter.names).toEqual([['huge']]);
    expect(processor.droppedSpans).toBe(1);
    exporter.answer();
    await turn();
    make('later', 1 * KB);
    expect(processor.pendingSpans).toBe(1);
  });

  it('are read of spans of others too, and of one that throws', async () => {
    const memory = new InMemorySpanExporter();
    const processor = new BatchingSpanProcessor(memory as SpanExporter);
    const broken = {
      spanContext() {
        throw new Error('hostile');
      },
    };
    expect(() => processor.onEnd(broken as unknown as ReadableSpan)).not.toThrow();
    expect(processor.pendingSpans).toBe(1);
    await processor.shutdown();
  });
});

describe('forceFlush', () => {
  it('waits for the export under way, for what waits, and then for the exporter', async () => {
    const { processor, make, exporter } = pipeline({ maxBatchSize: 2 });
    for (let i = 0; i < 5; i++) make(`s${i}`);
    await turn();
    let isDone = false;
    const flushed = processor.forceFlush().then(() => {
      isDone = true;
    });
    for (let i = 0; i < 3; i++) {
      await turn();
      expect([isDone, exporter.flushed]).toEqual([false, 0]);
      exporter.answer();
    }
    await flushed;
    expect(exporter.names).toEqual([['s0', 's1'], ['s2', 's3'], ['s4']]);
    expect(exporter.flushed).toBe(1);
  });

  it('does not wait for spans that end after its call', async () => {
    const { processor, make, exporter } = pipeline({ maxBatchSize: 1 });
    make('before');
    const flushed = processor.forceFlush();
    make('after');
    await turn();
    exporter.answer();
    await flushed;
    expect(processor.pendingSpans).toBe(1);
  });
});

describe('giveUp', () => {
  it('counts what is under way and what waits, and lets shutdown close the exporter', async () => {
    const { processor, make, exporter } = pipeline({ maxBatchSize: 2 });
    for (let i = 0; i < 5; i++) make(`s${i}`);
    await turn();
    const closed = processor.shutdown();
    processor.giveUp();
    await closed;
    await vi.waitFor(() => expect(processor.pendingSpans).toBe(0));
    expect(processor).toMatchObject({ failedSpans: 5, exportedSpans: 0, failedByReason: { shutdown: 5 } });
    expect(exporter.closed).toBe(1);
    exporter.answer();
    await turn();
    expect(processor.exportedSpans).toBe(0);
    make('late');
    expect(processor.droppedByReason).toEqual({ queue_full: 0, already_shutdown: 1 });
  });

  it('ends the wait for an exporter that does not come to the end of its flush', async () => {
    const exporter = new HeldExporter();
    exporter.forceFlush = () => new Promise(() => {});
    const { processor } = pipeline({}, exporter);
    const closed = processor.shutdown();
    await turn();
    expect(exporter.closed).toBe(0);
    processor.giveUp();
    await closed;
    expect(exporter.closed).toBe(1);
  });

  it('changes nothing where nothing is pending', async () => {
    const { processor } = pipeline();
    processor.giveUp();
    await processor.shutdown();
    expect(processor.failedSpans).toBe(0);
  });
});

describe('what an exporter says', () => {
  it.each<[string, CountedResult, Record<string, number>, number]>([
    ['how many it lost, and why', { code: 1, lost: { rejected: 1, refused: 2 } }, { rejected: 1, refused: 2 }, 7],
    ['more than it had', { code: 1, lost: { refused: 50 } }, { refused: 10 }, 0],
    ['what is no number', { code: 1, lost: { refused: Number.NaN, rejected: -3 } }, {}, 10],
    [
      'an error with a code',
      { code: 1, error: Object.assign(new Error('x'), { code: 'ECONNRESET' }) },
      { ECONNRESET: 10 },
      0,
    ],
    ['an error of a class', { code: 1, error: new RangeError('x') }, { RangeError: 10 }, 0],
    [
      'an error whose code is a text of its own',
      { code: 1, error: Object.assign(new Error('x'), { code: 'a b' }) },
      { _OTHER: 10 },
      0,
    ],
    ['nothing', { code: 1 }, { _OTHER: 10 }, 0],
  ])('counts: %s', async (_name, result, reasons, exported) => {
    const { processor, make, exporter } = pipeline({ maxBatchSize: 10 });
    for (let i = 0; i < 10; i++) make(`s${i}`);
    await turn();
    expect([processor.submittedSpans, processor.inFlightSpans]).toEqual([10, 10]);
    exporter.answer(result);
    await turn();
    expect(processor.failedByReason).toEqual(reasons);
    expect(processor.exportedSpans).toBe(exported);
    expect(processor.exportedSpans + processor.failedSpans).toBe(10);
    expect(processor.inFlightSpans).toBe(0);
  });
});
