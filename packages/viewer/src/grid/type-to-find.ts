/** A pause this long, ms, begins a new word. */
const PAUSE = 900;

/** Collects letters to a word that is looked for; each letter within a pause adds to it. */
export class TypeToFind {
  #word = '';
  #last = Number.NEGATIVE_INFINITY;

  /** The word so far; undefined for keys that are no letters. A space is one only inside a word. */
  add(event: { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean }, now: number): string | undefined {
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const isNew = now - this.#last > PAUSE;
    if (isNew && (event.key === ' ' || event.key === '/' || event.key === '?')) return undefined;
    this.#word = (isNew ? '' : this.#word) + event.key.toLowerCase();
    this.#last = now;
    return this.#word;
  }
}

/** The next row after `from`, round to it again, whose text has the word; -1 for none. */
export function findNext(word: string, from: number, count: number, textOf: (row: number) => string): number {
  for (let step = 0; step < count; step++) {
    const row = (from + step) % count;
    if (textOf(row).toLowerCase().includes(word)) return row;
  }
  return -1;
}
