import type { SpanNode } from './span-node.js';

/** Up to this many keys are found by looking through a list: cheaper than hashing each key for a table, and smaller. */
const MOST_LISTED = 32;
const STRIDE = 3;

/**
 * Spans of one kind by key: the newest one of each key, open or ended. Of an ended one that is no longer needed only its
 * ordinal is kept, so that a repeated end still changes nothing and a new start counts on.
 */
export class KeyedSpans<N extends SpanNode> {
  /** Signature, key and entry of each key, in the order they were added, while there are few. */
  #list: (number | string | N)[] | undefined = [];
  #table: Map<string, N | number> | undefined = undefined;
  /** A bit for each signature in the list, so that most unused keys are known as such without a look through it. */
  #signatures = 0;
  /** Keys let go of. An unknown key may be one of them, so it counts on from here: no span id comes twice. */
  forgotten = 0;

  /** The newest span of the key, or the ordinal of one that ended and was let go; `undefined` for an unused key. */
  find(key: string): N | number | undefined {
    const list = this.#list;
    if (list === undefined) return this.#table?.get(key);
    const wanted = signature(key);
    if ((this.#signatures & bitOf(wanted)) === 0) return undefined;
    const at = placeOf(list, wanted, key);
    return at < 0 ? undefined : (list[at] as N | number);
  }

  /** The newest span of the key, if it is still held. */
  get(key: string): N | undefined {
    const entry = this.find(key);
    return typeof entry === 'number' ? undefined : entry;
  }

  /** Adds a span; with more than `max` keys the oldest one is let go, unless its span is open. */
  add(key: string, node: N, max: number): void {
    const list = this.#list;
    if (list === undefined) {
      this.#addToTable(key, node, max);
      return;
    }
    const at = placeOf(list, signature(key), key);
    if (at >= 0) list[at] = node;
    else this.addNew(key, node, max);
  }

  /** `add` for a key that `find` has just not found. */
  addNew(key: string, node: N, max: number): void {
    const list = this.#list;
    if (list !== undefined && list.length < MOST_LISTED * STRIDE && list.length < max * STRIDE) {
      const own = signature(key);
      list.push(own, key, node);
      this.#signatures |= bitOf(own);
      return;
    }
    if (list !== undefined) this.#makeTable(list);
    this.#addToTable(key, node, max);
  }

  #addToTable(key: string, node: N, max: number): void {
    const table = this.#table;
    if (table === undefined) return;
    table.set(key, node);
    // An open one goes to the back, so that it does not keep the others; a bounded number of looks a call.
    for (let looks = 0; table.size > max && looks < 4; looks++) {
      const [first] = table;
      if (first === undefined) return;
      const [oldest, entry] = first;
      table.delete(oldest);
      if (typeof entry !== 'number' && entry.end === undefined) table.set(oldest, entry);
      else this.forgotten++;
    }
  }

  #makeTable(list: readonly (number | string | N)[]): void {
    const table = new Map<string, N | number>();
    for (let i = 0; i < list.length; i += STRIDE) table.set(list[i + 1] as string, list[i + 2] as N | number);
    this.#table = table;
    this.#list = undefined;
  }

  /** Lets go of ended spans, and keeps their keys. */
  release(): void {
    const list = this.#list;
    for (let i = 2; list !== undefined && i < list.length; i += STRIDE) {
      const entry = list[i] as N | number;
      if (typeof entry !== 'number' && entry.end !== undefined) list[i] = entry.ordinal;
    }
    for (const [key, entry] of this.#table ?? []) {
      if (typeof entry !== 'number' && entry.end !== undefined) this.#table?.set(key, entry.ordinal);
    }
  }
}

/**
 * Lets go of the oldest list beyond the bound; one with an open span goes to the back instead. Returns how many spans
 * the list had, which is where a new list of its key has to count on.
 */
export function forgetOldest<K, L extends { readonly started: number; readonly open: { first(): unknown } }>(
  lists: Map<K, L>,
  max: number,
): number {
  if (lists.size <= max) return 0;
  const [first] = lists;
  if (first === undefined) return 0;
  const [key, list] = first;
  lists.delete(key);
  if (list.open.first() === undefined) return list.started;
  lists.set(key, list);
  return 0;
}

/** Length and last characters: what ids of one turn differ in. Two numbers are compared faster than two texts. */
function signature(key: string): number {
  const { length } = key;
  let sum = length;
  for (let i = length > 6 ? length - 6 : 0; i < length; i++) sum = (Math.imul(sum, 31) + key.charCodeAt(i)) | 0;
  return sum;
}

const bitOf = (own: number) => 1 << (own & 31);

/** Index of the entry of a key, the newest ones looked at first; -1 without one. */
function placeOf(list: readonly unknown[], wanted: number, key: string): number {
  for (let i = list.length - STRIDE; i >= 0; i -= STRIDE) {
    if (list[i] === wanted && list[i + 1] === key) return i + 2;
  }
  return -1;
}

/** The ordinal of the next span of a key, from what `find` gave for it. */
export function nextOrdinal(
  found: SpanNode | number | undefined,
  spans: { readonly forgotten: number } | undefined,
): number {
  if (found === undefined) return spans?.forgotten ?? 0;
  return (typeof found === 'number' ? found : found.ordinal) + 1;
}

/** The open span of a key, from what `find` gave for it. */
export function openOf<N extends SpanNode>(found: N | number | undefined): N | undefined {
  return found === undefined || typeof found === 'number' || found.end !== undefined ? undefined : found;
}
