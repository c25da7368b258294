/** With more than this, what waits is done at once: nothing is dropped. */
const MOST_WAITING = 4_096;

/** Does things on a later turn of the event loop, in order: an agent does not wait for them. */
export class Deferred<T> {
  readonly #run: (item: T) => void;
  #items: T[] = [];
  #immediate: NodeJS.Immediate | undefined;

  /** @param run must not throw */
  constructor(run: (item: T) => void) {
    this.#run = run;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length >= MOST_WAITING) this.drain();
    else this.#immediate ??= setImmediate(() => this.drain());
  }

  /** Does all that waits, now. */
  drain(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    const items = this.#items;
    this.#items = [];
    for (const item of items) this.#run(item);
  }
}
