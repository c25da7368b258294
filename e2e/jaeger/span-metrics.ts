import type { Sample } from './prometheus-text.js';
import type { SpanFacts } from './span-facts.js';

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUSES = ['UNSET', 'OK', 'ERROR'];

export interface SpanCount {
  readonly calls: number;
  readonly seconds: number;
}

/** What is to be counted for these spans: by the labels of the series, which are the dimensions a span has. */
export function countsOfSpans(spans: readonly SpanFacts[], dimensions: readonly string[]): Map<string, SpanCount> {
  const counts = new Map<string, SpanCount>();
  for (const span of spans) {
    const labels: Record<string, string> = {
      service_name: plain(span.resource['service.name']) ?? '',
      span_name: span.name,
      span_kind: `SPAN_KIND_${KINDS[span.kind]}`,
      status_code: `STATUS_CODE_${STATUSES[Number.parseInt(span.status, 10)]}`,
    };
    for (const name of dimensions) {
      const value = plain(span.attributes[name]);
      if (value !== undefined) labels[labelOf(name)] = value;
    }
    const { calls, seconds } = counts.get(keyOf(labels)) ?? { calls: 0, seconds: 0 };
    counts.set(keyOf(labels), { calls: calls + 1, seconds: seconds + Number(span.end - span.start) / 1e9 });
  }
  return counts;
}

/** What the series of the metrics say: the calls, and the sum of the durations. */
export function countsOfSamples(samples: readonly Sample[]): Map<string, SpanCount> {
  const valuesOf = (name: string) =>
    new Map(
      samples
        .filter((sample) => sample.name === name)
        .map(({ labels: { job: _, ...labels }, value }) => [keyOf(labels), value]),
    );
  const seconds = valuesOf('traces_span_metrics_duration_seconds_sum');
  const calls = [...valuesOf('traces_span_metrics_calls_total')];
  return new Map(calls.map(([key, value]) => [key, { calls: value, seconds: seconds.get(key) ?? Number.NaN }]));
}

/** Calls by one label, such as `gen_ai_operation_name`. Series without it are left out. */
export function callsBy(samples: readonly Sample[], label: string): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const { name, labels, value } of samples) {
    const group = labels[label];
    if (name !== 'traces_span_metrics_calls_total' || group === undefined) continue;
    totals[group] = (totals[group] ?? 0) + value;
  }
  return totals;
}

const labelOf = (attribute: string) => attribute.replaceAll('.', '_');
const keyOf = (labels: Readonly<Record<string, string>>) => JSON.stringify(Object.entries(labels).sort());

/** A text as it stands in a fact, without its quotes. */
const plain = (fact: string | undefined): string | undefined =>
  fact === undefined ? undefined : (JSON.parse(fact) as string);
