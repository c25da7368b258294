import type { SpanNode } from './span-node.js';

/**
 * Spans of one kind by key: the newest one of each key, open or ended. Of an ended one that is no longer needed only its
 * ordinal is kept, so that a repeated end still changes nothing and a new start counts on.
 */
export class KeyedSpans<N extends SpanNode> {
  readonly #entries = new Map<string, N | number>();

  /** The newest span of the key, if it is still held. */
  get(key: string): N | undefined {
    const entry = this.#entries.get(key);
    return typeof entry === 'number' ? undefined : entry;
  }

  /** The ordinal of the next span of the key; 0 when there was none. */
  nextOrdinal(key: string): number {
    const entry = this.#entries.get(key);
    if (entry === undefined) return 0;
    return (typeof entry === 'number' ? entry : entry.ordinal) + 1;
  }

  /** True when the key had a span that ended. */
  hasEnded(key: string): boolean {
    const entry = this.#entries.get(key);
    return typeof entry === 'number' || entry?.end !== undefined;
  }

  /** Adds a span; with more than `max` keys the oldest one is let go, unless its span is open. */
  add(key: string, node: N, max: number): void {
    const entries = this.#entries;
    entries.set(key, node);
    if (entries.size <= max) return;
    for (const [oldest, entry] of entries) {
      if (typeof entry === 'number' || entry.end !== undefined) entries.delete(oldest);
      return;
    }
  }

  /** Lets go of ended spans, and keeps their keys. */
  release(): void {
    for (const [key, entry] of this.#entries) {
      if (typeof entry !== 'number' && entry.end !== undefined) this.#entries.set(key, entry.ordinal);
    }
  }
}
