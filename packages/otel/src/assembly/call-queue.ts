/**
 * Spans in order of start, of which the oldest that still counts is wanted. Those that count no more leave from the
 * front; behind one that goes on for long they are swept out whenever the queue has doubled, so it stays within twice
 * of what counts.
 */
export class CallQueue<N> {
  readonly #done: (node: N) => boolean;
  #nodes: N[] = [];
  #sweepAt = 16;

  /** `done`: whether a span counts no more. */
  constructor(done: (node: N) => boolean) {
    this.#done = done;
  }

  add(node: N): void {
    this.#nodes.push(node);
    if (this.#nodes.length < this.#sweepAt) return;
    this.sweep();
    this.#sweepAt = Math.max(16, this.#nodes.length * 2);
  }

  /** The oldest span that counts. */
  first(): N | undefined {
    const nodes = this.#nodes;
    while (nodes[0] !== undefined && this.#done(nodes[0])) nodes.shift();
    return nodes[0];
  }

  /** Lets go of all that count no more. */
  sweep(): void {
    this.#nodes = this.#nodes.filter((node) => !this.#done(node));
  }

  /** Spans held, counting or not. */
  get size(): number {
    return this.#nodes.length;
  }
}
