import { compareTime, type HrTime } from '@hermes-observer/core';

/** Something with a time; of equal times the lower `order` goes first. */
export interface Timed {
  readonly time: HrTime | undefined;
  readonly order: number;
}

const ZERO: HrTime = [0, 0];

/** A binary heap: the earliest first, in logarithmic time. Only the first may change its time, and is then `moved`. */
export class TimeHeap<Item extends Timed> {
  readonly #items: Item[];

  constructor(items: readonly Item[]) {
    this.#items = [...items];
    for (let i = (this.#items.length >> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  /** The earliest time of all but the first. */
  get secondTime(): HrTime | undefined {
    const left = this.#items[1];
    const right = this.#items[2];
    if (left === undefined || right === undefined) return left?.time;
    return isBefore(right, left) ? right.time : left.time;
  }

  /** Puts the first one where its time now says. */
  moved(): void {
    this.#sink(0);
  }

  removeFirst(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.#sink(0);
  }

  #sink(start: number): void {
    const items = this.#items;
    let at = start;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= items.length) return;
      const right = left + 1;
      const child = right < items.length && isBefore(items[right] as Item, items[left] as Item) ? right : left;
      if (!isBefore(items[child] as Item, items[at] as Item)) return;
      [items[at], items[child]] = [items[child] as Item, items[at] as Item];
      at = child;
    }
  }
}

function isBefore(a: Timed, b: Timed): boolean {
  const order = compareTime(a.time ?? ZERO, b.time ?? ZERO);
  return order < 0 || (order === 0 && a.order < b.order);
}
