/** What a histogram has counted, as it is kept: sums, and counts by bucket. */
export interface SavedHistogram {
  readonly sum: number;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly counts: readonly number[];
}

/** A histogram of fixed buckets that only grows. */
export class CumulativeHistogram {
  readonly #bounds: readonly number[];
  readonly counts: number[];
  sum = 0;
  count = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;

  constructor(bounds: readonly number[], saved?: SavedHistogram) {
    this.#bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
    // Of another version with other buckets nothing can be gone on with.
    if (saved === undefined || saved.counts.length !== this.counts.length) return;
    this.counts = [...saved.counts];
    this.sum = saved.sum;
    this.count = saved.count;
    this.min = saved.min;
    this.max = saved.max;
  }

  record(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++;
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.sum += value;
    this.count++;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  save(): SavedHistogram {
    const { sum, count, min, max, counts } = this;
    return { sum, count, min, max, counts: [...counts] };
  }

  /** As the SDK has it. */
  get value() {
    const { sum, count, min, max, counts } = this;
    return { buckets: { boundaries: [...this.#bounds], counts: [...counts] }, sum, count, min, max };
  }
}
