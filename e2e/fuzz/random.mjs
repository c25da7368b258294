/** Numbers and choices that a seed repeats (xorshift). */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0 || 1;
  }

  /** From 0 to below 1. */
  next() {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) / 2 ** 32;
  }

  below(limit) {
    return Math.floor(this.next() * limit);
  }

  /** True in one of `many` cases. */
  oneIn(many) {
    return this.next() * many < 1;
  }

  of(list) {
    return list[this.below(list.length)];
  }
}
