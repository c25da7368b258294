import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { OtlpFileExporter } from '../exporters/otlp-file.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { LosslessSpanProcessor } from './lossless-span-processor.js';

interface Request {
  resourceSpans: { scopeSpans: { spans: { name: string }[] }[] }[];
}

const namesOf = (request: Request) =>
  request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name)));
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `span ${from + i}`);

function produce(processor: LosslessSpanProcessor, from: number, to: number): void {
  const tracer = new ObserverTracerProvider({ spanProcessors: [processor] }).getTracer('test');
  for (const name of names(from, to)) tracer.startSpan(name).end();
}

/** An exporter whose exports end when the test says so. */
class HeldExporter implements SpanExporter {
  readonly batches: string[][] = [];
  inFlight = 0;
  mostInFlight = 0;
  closed = false;
  release: (code?: number) => void = () => {};
  export(spans: ReadableSpan[], done: (result: { code: number }) => void): void {
    this.batches.push(spans.map(({ name }) => name));
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    this.release = (code = 0) => {
      this.inFlight--;
      done({ code });
    };
  }
  async shutdown(): Promise<void> {
    this.closed = true;
  }
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('LosslessSpanProcessor', () => {
  it('shows what a shutdown that ran out of time has left behind as pending', async () => {
    const exporter = new HeldExporter();
    const processor = new LosslessSpanProcessor({ exporter, maxBatchSize: 3 });
    const provider = new ObserverTracerProvider({ spanProcessors: [processor] });
    for (const name of names(0, 7)) provider.getTracer('test').startSpan(name).end();
    const counts = () => [processor.exportedSpans, processor.failedSpans, processor.pendingSpans];
    await expect(provider.shutdown({ timeoutMillis: 20 })).rejects.toThrow(AggregateError);
    expect(counts()).toEqual([0, 0, 7]);
    expect(processor.receivedSpans).toBe(provider.counts.ended);
    for (const [code, left] of [
      [0, [3, 0, 4]],
      [1, [3, 3, 1]],
      [0, [4, 3, 0]],
    ] as const) {
      exporter.release(code);
      await tick();
      expect(counts()).toEqual(left);
    }
    await expect(processor.shutdown()).rejects.toThrow('3 spans were not exported');
    expect(exporter.closed).toBe(true);
  });

  it('exports in order, in full batches, one at a time, and the rest when flushed', async () => {
    const exporter = new HeldExporter();
    const processor = new LosslessSpanProcessor({ exporter, maxBatchSize: 3 });
    produce(processor, 0, 7);
    await tick();
    expect(exporter.batches).toEqual([names(0, 3)]);
    exporter.release();
    await tick();
    exporter.release();
    await tick();
    expect(exporter.batches).toEqual([names(0, 3), names(3, 6)]);
    const flush = processor.forceFlush();
    await tick();
    expect(exporter.batches[2]).toEqual(names(6, 7));
    exporter.release();
    await flush;
    expect(exporter.mostInFlight).toBe(1);
    expect(processor.exportedSpans).toBe(7);
  });

  it('waits in forceFlush for an export that is already in flight', async () => {
    const exporter = new HeldExporter();
    const processor = new LosslessSpanProcessor({ exporter, maxBatchSize: 2 });
    produce(processor, 0, 2);
    await tick();
    let flushed = false;
    const flush = processor.forceFlush().then(() => {
      flushed = true;
    });
    await tick();
    expect([exporter.inFlight, flushed]).toEqual([1, false]);
    exporter.release();
    await flush;
    expect(flushed).toBe(true);
  });

  it('tells the producer to wait from the high water mark on', async () => {
    const exporter = new HeldExporter();
    const processor = new LosslessSpanProcessor({ exporter, maxBatchSize: 2, highWaterMark: 4 });
    produce(processor, 0, 3);
    expect(processor.ready()).toBeUndefined();
    produce(processor, 3, 5);
    const ready = processor.ready();
    expect(ready).toBeInstanceOf(Promise);
    expect(processor.ready()).toBe(ready);
    await tick();
    exporter.release();
    await tick();
    exporter.release();
    await ready;
    expect(processor.ready()).toBeUndefined();
  });

  it('keeps what waits bounded for a producer that awaits ready()', async () => {
    let waitingAtMost = 0;
    let produced = 0;
    const exporter: SpanExporter = {
      export: (spans, done) => {
        setImmediate(() => {
          waitingAtMost = Math.max(waitingAtMost, produced - processor.exportedSpans - spans.length);
          done({ code: 0 });
        });
      },
      shutdown: async () => {},
    };
    const processor = new LosslessSpanProcessor({ exporter, maxBatchSize: 10, highWaterMark: 1 });
    for (; produced < 1000; produced++) {
      await processor.ready();
      produce(processor, produced, produced + 1);
    }
    await processor.forceFlush();
    expect(processor.exportedSpans).toBe(1000);
    expect(waitingAtMost).toBeLessThanOrEqual(20);
  });

  it('counts failed spans, tells of them once, and goes on', async () => {
    const exporter = new HeldExporter();
    const processor = new LosslessSpanProcessor({ exporter, maxBatchSize: 2 });
    produce(processor, 0, 2);
    await tick();
    exporter.release(1);
    await expect(processor.forceFlush()).rejects.toMatchObject({
      code: 'HO_EXPORT_FAILED',
      message: expect.stringContaining('2 spans'),
    });
    await processor.forceFlush();
    produce(processor, 2, 4);
    await tick();
    exporter.release();
    await processor.forceFlush();
    expect([processor.exportedSpans, processor.failedSpans]).toEqual([2, 2]);
  });

  it('survives an exporter that throws', async () => {
    const exporter: SpanExporter = {
      export: () => {
        throw new Error('exporter broke');
      },
      shutdown: async () => {},
    };
    const processor = new LosslessSpanProcessor({ exporter });
    produce(processor, 0, 3);
    await expect(processor.forceFlush()).rejects.toMatchObject({ cause: new Error('exporter broke') });
    expect(processor.lastError?.message).toBe('exporter broke');
    expect(processor.failedSpans).toBe(3);
  });

  it('flushes and closes the exporter on shutdown, a failure notwithstanding, and counts what comes later', async () => {
    const exporter = new HeldExporter();
    const processor = new LosslessSpanProcessor({ exporter });
    const provider = new ObserverTracerProvider({ spanProcessors: [processor] });
    const span = provider.getTracer('t').startSpan('s');
    span.end();
    const closing = processor.shutdown();
    await tick();
    expect(exporter.closed).toBe(false);
    exporter.release(1);
    await expect(closing).rejects.toMatchObject({ code: 'HO_EXPORT_FAILED' });
    expect(exporter.closed).toBe(true);
    processor.onEnd(span as unknown as ReadableSpan);
    expect(processor.failedSpans).toBe(2);
    expect(processor.shutdown()).toBe(closing);
  });

  it('does not grow the stack with an exporter that calls back at once', async () => {
    let count = 0;
    const exporter: SpanExporter = {
      export: (spans, done) => {
        count += spans.length;
        done({ code: 0 });
      },
      shutdown: async () => {},
    };
    const processor = new LosslessSpanProcessor({ exporter, maxBatchSize: 1 });
    produce(processor, 0, 50_000);
    await processor.forceFlush();
    expect(count).toBe(50_000);
  });

  it('refuses sizes below 1', () => {
    const exporter = new HeldExporter();
    expect(() => new LosslessSpanProcessor({ exporter, maxBatchSize: 0 })).toThrowError(/maxBatchSize 0/);
  });
});

describe('with real exporters', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function receiver(status: (request: number) => number) {
    const requests: Request[] = [];
    let count = 0;
    server = createServer(async (request, response) => {
      const body = (await json(request)) as Request;
      const code = status(count++);
      if (code === 200) requests.push(body);
      response.writeHead(code, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` };
  }

  it('sends everything over OTLP/HTTP, far more than a batch processor would queue', async () => {
    const { requests, url } = await receiver(() => 200);
    const processor = new LosslessSpanProcessor({ exporter: new OTLPTraceExporter({ url }), maxBatchSize: 500 });
    produce(processor, 0, 6200);
    await processor.forceFlush();
    expect(requests.flatMap(namesOf)).toEqual(names(0, 6200));
    expect(requests).toHaveLength(13);
    await processor.shutdown();
  });

  it('reports batches the receiver refuses', async () => {
    const { requests, url } = await receiver((n) => (n === 1 ? 400 : 200));
    const processor = new LosslessSpanProcessor({ exporter: new OTLPTraceExporter({ url }), maxBatchSize: 10 });
    produce(processor, 0, 30);
    await expect(processor.forceFlush()).rejects.toMatchObject({ code: 'HO_EXPORT_FAILED' });
    expect(requests.flatMap(namesOf)).toEqual([...names(0, 10), ...names(20, 30)]);
    expect([processor.exportedSpans, processor.failedSpans]).toEqual([20, 10]);
    await processor.shutdown();
  });

  it('writes the same file for the same spans', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lossless-'));
    try {
      const files = ['a', 'b'].map((name) => join(folder, name));
      for (const path of files) {
        const processor = new LosslessSpanProcessor({ exporter: new OtlpFileExporter({ path }) });
        const tracer = new ObserverTracerProvider({ spanProcessors: [processor] }).getTracer('test');
        for (let i = 0; i < 1300; i++) {
          const ids = {
            traceId: (i + 1).toString(16).padStart(32, '0'),
            spanId: (i + 1).toString(16).padStart(16, '0'),
          };
          tracer.startSpan(`span ${i}`, { ids, startTime: [1, i] } as object).end([2, i]);
          if (path.endsWith('b') && i % 100 === 0) await tick();
        }
        await processor.shutdown();
      }
      const [a, b] = files.map((path) => readFileSync(path, 'utf8'));
      expect(a).toBe(b);
      expect(a?.split('\n')).toHaveLength(4);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
