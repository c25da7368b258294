import type { Attributes, Context, Counter, Histogram, MeterProvider } from '@opentelemetry/api';
import { SIGNALS_SCOPE_NAME, SIGNALS_SCOPE_VERSION } from '../scope.js';
import { INSTRUMENTS, type InstrumentName, type InstrumentRow } from './instruments.js';
import { LABELS, type LabelList } from './labels.js';
import { Series } from './series.js';

/** One span, as measurements are made of it. */
export interface Measured {
  readonly attributes: Attributes;
  /** What goes before them, if there is something. */
  readonly more?: Attributes | undefined;
  /** Without secrets; asked for once a series. */
  readonly redacted: () => Attributes;
  /** The span's, so that exemplars can point to it. */
  readonly context: Context;
}

/** The instruments of a meter, with series that are bounded. */
export class Recorder {
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #series = new Map<LabelList, Series>();
  /** Counters that have a series with these labels. */
  readonly #begun = new WeakMap<Attributes, Set<string>>();

  constructor(provider: MeterProvider, maxSeries?: number) {
    const meter = provider.getMeter(SIGNALS_SCOPE_NAME, SIGNALS_SCOPE_VERSION);
    for (const [name, row] of Object.entries(INSTRUMENTS) as [string, InstrumentRow][]) {
      const { kind, unit, description, buckets = [] } = row;
      if (kind === 'Counter') this.#counters.set(name, meter.createCounter(name, { unit, description }));
      else {
        const advice = { explicitBucketBoundaries: [...buckets] };
        this.#histograms.set(name, meter.createHistogram(name, { unit, description, advice }));
      }
    }
    for (const [list, names] of Object.entries(LABELS)) {
      this.#series.set(list as LabelList, new Series(names, maxSeries));
    }
  }

  /** The labels that a list of names gives a span: to be asked for once, and used for all metrics with that list. */
  labels(list: LabelList, { attributes, redacted, more }: Measured): Attributes {
    return (this.#series.get(list) as Series).of(attributes, redacted, more);
  }

  add(name: InstrumentName, value: number, labels: Attributes, { context }: Measured): void {
    const counter = this.#counters.get(name);
    if (counter === undefined) return;
    // To add 0 changes nothing where the series is there, and costs as much as any other number.
    if (value === 0) {
      const begun = this.#begun.get(labels) ?? new Set();
      if (begun.has(name)) return;
      this.#begun.set(labels, begun.add(name));
    }
    counter.add(value, labels, context);
  }

  record(name: InstrumentName, value: number, labels: Attributes, { context }: Measured): void {
    this.#histograms.get(name)?.record(value, labels, context);
  }

  /** Sets of labels that are kept, and measurements that went to overflow series. */
  get seriesCounts(): { readonly known: number; readonly overflowed: number } {
    let [known, overflowed] = [0, 0];
    for (const series of this.#series.values()) {
      known += series.size;
      overflowed += series.overflowed;
    }
    return { known, overflowed };
  }
}
