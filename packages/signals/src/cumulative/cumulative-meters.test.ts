import { ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import type { MetricProducer } from '@opentelemetry/sdk-metrics';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { MetricSpanProcessor } from '../metrics/metric-span-processor.js';
import { ReadableMeters } from '../metrics/metrics.test-support.js';
import { CumulativeMeters } from './cumulative-meters.js';

function turns(bridge: SpanBridge, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const ids = { session_id: 's', turn_id: `t${i}` };
    const record = (hook: string, payload: Record<string, unknown>, second: number) =>
      bridge.handleRecord({
        hook,
        payload: { ...ids, ...payload },
        time_unix_nano: `${1_790_000_000 + second}000000000`,
      });
    record('pre_llm_call', {}, i);
    record('pre_tool_call', { tool_call_id: 'c', tool_name: `tool_${i % 5}` }, i + 1);
    record('post_tool_call', { tool_call_id: 'c', tool_name: `tool_${i % 5}`, status: 'ok' }, i + 1 + (i % 3));
    record('pre_api_request', { api_request_id: 'r', model: 'm' }, i + 4);
    record('post_api_request', { api_request_id: 'r', usage: { prompt_tokens: i, output_tokens: 2 } }, i + 5);
    record('on_session_end', { completed: true }, i + 6);
  }
}

const measure = (meters: Pick<CumulativeMeters, 'getMeter'>) =>
  new SpanBridge({
    tracerProvider: new ObserverTracerProvider({
      spanProcessors: [new MetricSpanProcessor(meters as never, { isDeferred: false })],
    }),
  });

const plain = (
  metrics: readonly { descriptor: { name: string }; dataPoints: readonly { attributes: unknown; value: unknown }[] }[],
) =>
  metrics.map(({ descriptor, dataPoints }) => [
    descriptor,
    Object.fromEntries(dataPoints.map(({ attributes, value }) => [JSON.stringify(attributes), value])),
  ]);

describe('cumulative meters', () => {
  it('count as the SDK does', async () => {
    const sdk = new ReadableMeters();
    const own = new CumulativeMeters([1, 0]);
    for (const meters of [sdk.provider, own]) turns(measure(meters), 0, 40);
    const theirs = (await sdk.metrics()).filter(({ dataPoints }) => dataPoints.length > 0);
    const ours = own.collect([2, 0]).metrics;
    expect(ours.length).toBeGreaterThan(8);
    expect(ours.map(({ dataPointType, aggregationTemporality }) => [dataPointType, aggregationTemporality])).toEqual(
      theirs.map(({ dataPointType, aggregationTemporality }) => [dataPointType, aggregationTemporality]),
    );
    const withoutType = (all: ReturnType<typeof plain>) =>
      all.map(([descriptor, points]) => [{ ...(descriptor as object), type: undefined, advice: undefined }, points]);
    expect(withoutType(plain(ours))).toEqual(withoutType(plain(theirs)));
  });

  it('go on from what was saved, with the same start', () => {
    const whole = new CumulativeMeters([1, 0]);
    turns(measure(whole), 0, 40);
    const first = new CumulativeMeters([1, 0]);
    turns(measure(first), 0, 25);
    const saved = JSON.parse(JSON.stringify(first.save())) as ReturnType<typeof first.save>;
    const second = new CumulativeMeters([9, 0]);
    second.restore(saved);
    turns(measure(second), 25, 40);
    const dump = (meters: CumulativeMeters) => plain(meters.collect([10, 0]).metrics);
    expect(dump(second)).toEqual(dump(whole));
    expect(second.collect([10, 0]).metrics[0]?.dataPoints[0]?.startTime).toEqual([1, 0]);
    // Instruments may also be made after that.
    const third = new CumulativeMeters([9, 0]);
    measure(third);
    third.restore(saved);
    expect(dump(third)).toEqual(dump(first));
  });

  it('stay bounded over many restarts', () => {
    let saved: ReturnType<CumulativeMeters['save']> | undefined;
    for (let run = 0; run < 5; run++) {
      const meters = new CumulativeMeters([1, 0], 20);
      if (saved !== undefined) meters.restore(saved);
      const counter = meters.getMeter('x').createCounter('c');
      for (let i = 0; i < 20; i++) counter.add(1, { name: `${run}-${i}` });
      saved = meters.save();
    }
    const points = saved?.metrics.c ?? [];
    expect(points.length).toBe(21);
    expect(points.reduce((sum, [, value]) => sum + (value as number), 0)).toBe(100);
  });

  it('are exported by the SDK', async () => {
    const meters = new CumulativeMeters([1, 0]);
    turns(measure(meters), 0, 3);
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const producer: MetricProducer = {
      collect: async () => ({
        resourceMetrics: { resource: {} as never, scopeMetrics: [meters.collect([2, 0])] },
        errors: [],
      }),
    };
    const reader = new PeriodicExportingMetricReader({ exporter, metricProducers: [producer] });
    const provider = new MeterProvider({ readers: [reader] });
    await provider.forceFlush();
    expect(exporter.getMetrics()[0]?.scopeMetrics[0]?.metrics.map(({ descriptor }) => descriptor.name)).toContain(
      'gen_ai.execute_tool.duration',
    );
    await provider.shutdown();
  });
});
