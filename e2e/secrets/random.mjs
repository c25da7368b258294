/** xorshift: the same seed gives the same values everywhere. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed % 2 ** 32 || 1;
  }

  /** From 0 to below 1. */
  next() {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return this.#state / 2 ** 32;
  }

  /** A whole number below `count`. */
  below(count) {
    return Math.floor(this.next() * count);
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** A text of `length` characters of `alphabet`. */
  text(length, alphabet = ALPHANUMERIC) {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('');
  }

  hex(length) {
    return this.text(length, '0123456789abcdef');
  }

  digits(length) {
    return this.text(length, '0123456789');
  }
}

export const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
