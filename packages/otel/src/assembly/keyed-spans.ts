import type { SpanNode } from './span-node.js';

/**
 * Spans of one kind by key: the newest one of each key, open or ended. Of an ended one that is no longer needed only its
 * ordinal is kept, so that a repeated end still changes nothing and a new start counts on.
 */
export class KeyedSpans<N extends SpanNode> {
  readonly #entries = new Map<string, N | number>();

  /** The newest span of the key, or the ordinal of one that ended and was let go; `undefined` for an unused key. */
  find(key: string): N | number | undefined {
    return this.#entries.get(key);
  }

  /** The newest span of the key, if it is still held. */
  get(key: string): N | undefined {
    const entry = this.#entries.get(key);
    return typeof entry === 'number' ? undefined : entry;
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

/** The ordinal of the next span of a key, from what `find` gave for it. */
export function nextOrdinal(found: SpanNode | number | undefined): number {
  if (found === undefined) return 0;
  return (typeof found === 'number' ? found : found.ordinal) + 1;
}

/** The open span of a key, from what `find` gave for it. */
export function openOf<N extends SpanNode>(found: N | number | undefined): N | undefined {
  return found === undefined || typeof found === 'number' || found.end !== undefined ? undefined : found;
}
