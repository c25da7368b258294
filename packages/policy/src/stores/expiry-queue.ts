interface Entry {
  readonly at: number;
  readonly id: string;
}

/** Ids by the time at which they expire: a heap. Entries that mean nothing any more are let go of when they come up. */
export class ExpiryQueue {
  readonly #heap: Entry[] = [];
  readonly #isOpen: (id: string) => boolean;

  /** @param isOpen whether an id still waits for its time. */
  constructor(isOpen: (id: string) => boolean) {
    this.#isOpen = isOpen;
  }

  add(at: number, id: string): void {
    const heap = this.#heap;
    const entry = { at, id };
    let child = heap.length;
    heap.push(entry);
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.at <= at) break;
      heap[child] = above;
      child = parent;
    }
    heap[child] = entry;
  }

  /** The next time at which one expires. */
  next(): number | undefined {
    this.#clean();
    return this.#heap[0]?.at;
  }

  /** Takes out all that have expired. */
  take(now: number): string[] {
    const ids: string[] = [];
    for (this.#clean(); (this.#heap[0]?.at ?? Number.POSITIVE_INFINITY) <= now; this.#clean()) {
      ids.push(this.#heap[0]?.id ?? '');
      this.#removeFirst();
    }
    return ids;
  }

  #clean(): void {
    while (this.#heap[0] !== undefined && !this.#isOpen(this.#heap[0].id)) this.#removeFirst();
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      const right = left + 1;
      const child =
        (heap[right]?.at ?? Number.POSITIVE_INFINITY) < (heap[left]?.at ?? Number.POSITIVE_INFINITY) ? right : left;
      const below = heap[child];
      if (below === undefined || below.at >= last.at) break;
      heap[parent] = below;
      parent = child;
    }
    heap[parent] = last;
  }
}
