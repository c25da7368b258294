import type {
  Attributes,
  Counter,
  Histogram,
  HrTime,
  Meter,
  MeterProvider,
  MetricOptions,
  ValueType,
} from '@opentelemetry/api';
import type { MetricData, ScopeMetrics } from '@opentelemetry/sdk-metrics';
import { DEFAULT_MAX_SERIES, OVERFLOW } from '../metrics/series.js';
import { CumulativeHistogram, type SavedHistogram } from './cumulative-histogram.js';

type Value = number | SavedHistogram;

/** All that was counted, as JSON. */
export interface SavedMeters {
  /** Since when. */
  readonly startTime: HrTime;
  /** Name of a metric → its series. */
  readonly metrics: Readonly<Record<string, readonly (readonly [labels: Attributes, value: Value])[]>>;
}

interface Instrument {
  readonly name: string;
  readonly options: MetricOptions;
  readonly kind: 'counter' | 'histogram';
  readonly series: Map<string, { readonly labels: Attributes; value: number | CumulativeHistogram }>;
}

// The numbers of the SDK's `DataPointType`, `AggregationTemporality` and `ValueType`.
const HISTOGRAM = 0;
const SUM = 3;
const CUMULATIVE = 1;
const DOUBLE = 1;

/**
 * A meter provider whose counts can be kept and gone on with, which the SDK's cannot: after a restart the same series go on
 * from where they were, with the same start. It has what spans are measured with: counters and histograms of fixed buckets.
 */
export class CumulativeMeters implements Pick<MeterProvider, 'getMeter'> {
  #startTime: HrTime;
  #saved: SavedMeters['metrics'] = {};
  readonly #instruments = new Map<string, Instrument>();
  readonly #maxSeries: number;
  #scope: { name: string; version?: string } = { name: '' };

  /** @param startTime when counting began */
  constructor(startTime: HrTime, maxSeries = DEFAULT_MAX_SERIES) {
    this.#startTime = startTime;
    this.#maxSeries = maxSeries;
  }

  /** One meter: all instruments are of one scope. */
  getMeter(name: string, version?: string): Meter {
    this.#scope = version === undefined ? { name } : { name, version };
    const meter: Pick<Meter, 'createCounter' | 'createHistogram'> = {
      createCounter: (metric, options = {}) => this.#counter(metric, options) as Counter<never>,
      createHistogram: (metric, options = {}) => this.#histogram(metric, options) as Histogram<never>,
    };
    return meter as Meter;
  }

  #counter(name: string, options: MetricOptions): Counter {
    const instrument = this.#instrument(name, options, 'counter');
    return {
      add: (value, labels = {}) => {
        const series = this.#seriesOf(instrument, labels);
        series.value = (series.value as number) + value;
      },
    };
  }

  #histogram(name: string, options: MetricOptions): Histogram {
    const instrument = this.#instrument(name, options, 'histogram');
    return {
      record: (value, labels = {}) => (this.#seriesOf(instrument, labels).value as CumulativeHistogram).record(value),
    };
  }

  #instrument(name: string, options: MetricOptions, kind: Instrument['kind']): Instrument {
    const instrument: Instrument = { name, options, kind, series: new Map() };
    this.#instruments.set(name, instrument);
    this.#fill(instrument);
    return instrument;
  }

  /** Goes on with what was saved. To be called before anything is counted. */
  restore(saved: SavedMeters): void {
    this.#startTime = saved.startTime;
    this.#saved = saved.metrics;
    for (const instrument of this.#instruments.values()) this.#fill(instrument);
  }

  #fill(instrument: Instrument): void {
    for (const [labels, value] of this.#saved[instrument.name] ?? []) {
      if ((typeof value === 'number') !== (instrument.kind === 'counter')) continue;
      const kept = typeof value === 'number' ? value : new CumulativeHistogram(boundsOf(instrument), value);
      instrument.series.set(keyOf(labels), { labels, value: kept });
    }
  }

  #seriesOf(instrument: Instrument, labels: Attributes): { value: number | CumulativeHistogram } {
    const key = keyOf(labels);
    const known = instrument.series.get(key);
    if (known !== undefined) return known;
    // What was there before a restart counts too, which whoever made these labels does not know.
    if (instrument.series.size >= this.#maxSeries && labels !== OVERFLOW) return this.#seriesOf(instrument, OVERFLOW);
    const made = { labels, value: instrument.kind === 'counter' ? 0 : new CumulativeHistogram(boundsOf(instrument)) };
    instrument.series.set(key, made);
    return made;
  }

  save(): SavedMeters {
    const metrics: Record<string, readonly (readonly [Attributes, Value])[]> = {};
    for (const { name, series } of this.#instruments.values()) {
      if (series.size === 0) continue;
      metrics[name] = [...series.values()].map(({ labels, value }) => [
        labels,
        typeof value === 'number' ? value : value.save(),
      ]);
    }
    return { startTime: this.#startTime, metrics };
  }

  /** As the SDK's exporters take it. */
  collect(time: HrTime): ScopeMetrics {
    const metrics: MetricData[] = [];
    for (const { name, options, kind, series } of this.#instruments.values()) {
      if (series.size === 0) continue;
      const dataPoints = [...series.values()].map(({ labels, value }) => ({
        startTime: this.#startTime,
        endTime: time,
        attributes: labels,
        value: typeof value === 'number' ? value : value.value,
      }));
      const { description = '', unit = '' } = options;
      metrics.push({
        descriptor: { name, description, unit, valueType: DOUBLE as ValueType },
        aggregationTemporality: CUMULATIVE,
        dataPointType: kind === 'counter' ? SUM : HISTOGRAM,
        ...(kind === 'counter' ? { isMonotonic: true } : {}),
        dataPoints,
      } as unknown as MetricData);
    }
    return { scope: this.#scope, metrics };
  }
}

const boundsOf = ({ options }: Instrument) => options.advice?.explicitBucketBoundaries ?? [];

/** Labels come frozen and in one order for each instrument. */
const keys = new WeakMap<Attributes, string>();

function keyOf(labels: Attributes): string {
  let key = keys.get(labels);
  if (key === undefined) {
    key = JSON.stringify(Object.entries(labels));
    keys.set(labels, key);
  }
  return key;
}
