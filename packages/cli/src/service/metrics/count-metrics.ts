import type { HrTime } from '@hermes-observer/core';
import type { ScopeMetrics } from '@opentelemetry/sdk-metrics';
import type { Count } from '../ports.js';

// The numbers of the SDK's `DataPointType` and `AggregationTemporality`.
const GAUGE = 2;
const SUM = 3;
const CUMULATIVE = 1;
const DOUBLE = 1;

/** Counts of the service as metrics: in Prometheus they have the names that `/metrics` has. */
export function countMetrics(counts: readonly Count[], startTime: HrTime, endTime: HrTime): ScopeMetrics {
  const byName = new Map<string, Count[]>();
  for (const count of counts) byName.set(count.name, [...(byName.get(count.name) ?? []), count]);
  const metrics = [...byName.values()].map((points) => {
    const [{ name, help, kind = 'counter' }] = points as [Count, ...Count[]];
    return {
      descriptor: { name: `hermes_observer.${name}`, description: help, unit: '', valueType: DOUBLE },
      aggregationTemporality: CUMULATIVE,
      dataPointType: kind === 'counter' ? SUM : GAUGE,
      ...(kind === 'counter' ? { isMonotonic: true } : {}),
      dataPoints: points.map(({ value, labels = {} }) => ({ startTime, endTime, attributes: { ...labels }, value })),
    };
  });
  return { scope: { name: 'hermes-observer' }, metrics: metrics as unknown as ScopeMetrics['metrics'] };
}
