/**
 * First in, first out. The first key of a `Set` is no such queue: what was deleted before it is stepped over each time.
 */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  push(item: T): void {
    this.#items.push(item);
  }

  /** The oldest item. */
  first(): T | undefined {
    return this.#items[this.#head];
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head >= 32 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Oldest first. */
  items(): T[] {
    return this.#items.slice(this.#head) as T[];
  }

  get size(): number {
    return this.#items.length - this.#head;
  }
}
