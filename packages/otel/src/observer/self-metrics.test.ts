import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DataPoint, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { afterEach, describe, expect, it } from 'vitest';
import { OtlpHttpExporter } from '../exporters/otlp-http.js';
import type { SpanExporter } from '../sdk/types.js';
import { createObserver } from './create-observer.js';
import type { Observer } from './observer.js';
import type { ObserverOptions } from './options.js';

class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

const open: { shutdown(): Promise<unknown> }[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.shutdown();
  for (const server of servers.splice(0)) server.closeAllConnections();
});

function make(options: ObserverOptions) {
  const reader = new Reader();
  const meterProvider = new MeterProvider({ readers: [reader] });
  const observer = createObserver({ env: {}, onWarning: () => {}, meterProvider, ...options });
  open.push(observer, meterProvider);
  /** Values of an instrument by `error.type` or kind; '' is none. */
  const values = async (name: string): Promise<Record<string, number>> => {
    const { resourceMetrics, errors } = await reader.collect();
    expect(errors).toEqual([]);
    const metric = resourceMetrics.scopeMetrics[0]?.metrics.find(({ descriptor }) => descriptor.name === name);
    const points = (metric?.dataPoints ?? []) as DataPoint<number>[];
    return Object.fromEntries(
      points.map(({ attributes, value }) => [
        String(attributes['error.type'] ?? attributes['hermes.redaction.kind'] ?? ''),
        value,
      ]),
    );
  };
  return { observer, values, reader };
}

function turn({ hub }: Observer, turn_id: string, isEnded = true) {
  hub.emit('pre_llm_call', { session_id: turn_id, turn_id, user_message: 'mail a@b.example' });
  if (isEnded) hub.emit('on_session_end', { session_id: turn_id, turn_id, completed: true });
}

async function receiver(answer: (count: number) => [status: number, body: string]): Promise<string> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const [status, body] = answer(++count);
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(body);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
}

const failing: SpanExporter = {
  export: (_spans, done) => done({ code: 1, error: new TypeError('no') }),
  shutdown: async () => {},
};

describe('meterProvider', () => {
  it('gets the figures of spans under the names of the OpenTelemetry SDK', async () => {
    const url = await receiver(() => [200, '{}']);
    const { observer, values } = make({
      exporters: [new OtlpHttpExporter({ url, env: {} })],
      env: { OTEL_BSP_MAX_QUEUE_SIZE: '2' },
    });
    for (const id of ['a', 'b', 'c']) turn(observer, id);
    turn(observer, 'd', false);
    expect(await values('otel.sdk.span.started')).toEqual({ '': 4 });
    expect(await values('otel.sdk.span.live')).toEqual({ '': 1 });
    expect(await values('otel.sdk.processor.span.queue.size')).toEqual({ '': 2 });
    expect(await values('otel.sdk.processor.span.queue.capacity')).toEqual({ '': 2 });
    expect(await values('otel.sdk.processor.span.processed')).toEqual({ '': 0, queue_full: 1 });
    await observer.flush();
    expect(await values('otel.sdk.processor.span.queue.size')).toEqual({ '': 0 });
    expect(await values('otel.sdk.processor.span.processed')).toEqual({ '': 2, queue_full: 1 });
    expect(await values('otel.sdk.exporter.span.exported')).toEqual({ '': 2 });
    expect(await values('otel.sdk.exporter.span.inflight')).toEqual({ '': 0 });
  });

  it('says why spans were not taken', async () => {
    const partial = '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}';
    const url = await receiver((count) => (count === 1 ? [503, ''] : [200, partial]));
    const { observer, values } = make({ exporters: [new OtlpHttpExporter({ url, env: {} })] });
    turn(observer, 'a');
    turn(observer, 'b');
    await observer.flush();
    expect(await values('otel.sdk.exporter.span.exported')).toEqual({ '': 1, rejected: 1 });
    expect(await values('hermes.observer.export.retries')).toEqual({ '': 1 });
    expect(observer.counts).toMatchObject({
      exportedSpans: 1,
      failedSpans: 1,
      failedByReason: { rejected: 1 },
      retries: 1,
    });
  });

  it('names the class of an error of an exporter of others', async () => {
    const { observer, values } = make({ exporters: [failing] });
    turn(observer, 'a');
    await observer.flush();
    expect(await values('otel.sdk.exporter.span.exported')).toEqual({ '': 0, TypeError: 1 });
  });

  it('counts what was cut, redacted and left out', async () => {
    const url = await receiver(() => [200, '{}']);
    const { observer, values } = make({
      capture: 'full',
      exporters: [new OtlpHttpExporter({ url, env: {}, maxRequestBytes: 20_000 })],
      redaction: {},
      attributes: { big: 'word '.repeat(20_000) },
      beforeExport: (span) => (span.attributes['hermes.turn.id'] === 'out' ? null : span),
    });
    turn(observer, 'in');
    turn(observer, 'out');
    await observer.flush();
    expect(await values('hermes.observer.span.cut')).toEqual({ '': 1 });
    expect(await values('hermes.observer.span.left_out')).toEqual({ '': 1 });
    expect(await values('hermes.observer.redacted')).toMatchObject({ email: expect.any(Number) });
  });

  it('has the last figures after shutdown', async () => {
    const { observer, values } = make({ exporters: [failing] });
    turn(observer, 'a');
    await observer.shutdown();
    expect(await values('otel.sdk.exporter.span.exported')).toEqual({ '': 0, TypeError: 1 });
  });

  it('that throws costs a warning', () => {
    const warnings: string[] = [];
    const meterProvider = {
      getMeter: () => {
        throw new Error('broken');
      },
    };
    const { observer } = make({ meterProvider, exporters: [failing], onWarning: (text) => void warnings.push(text) });
    expect(observer.counts.openSpans).toBe(0);
    expect(warnings).toEqual(['meterProvider failed: broken']);
  });

  it('must be one', () => {
    expect(() => createObserver({ meterProvider: {} as never, env: {} })).toThrow('meterProvider has no getMeter()');
  });
});
