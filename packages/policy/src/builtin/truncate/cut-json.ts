import { cutText } from './cut-text.js';

/** JSON in JSON in JSON: how deep it is looked into. */
const DEEPEST_NESTING = 4;
/** Longest text that is parsed: it is in memory some times over. */
const LONGEST_PARSED = 32 * 1024 * 1024;

interface Bounds {
  readonly text: number;
  readonly items: number;
  readonly depth: number;
}

/** Ever tighter. The first one that fits is taken. */
function* bounds(max: number, isMany: boolean): Generator<Bounds> {
  // With very many values, shorter texts alone would not do.
  for (let text = max / 2; text >= 100 && !isMany; text /= 2)
    yield { text, items: Number.POSITIVE_INFINITY, depth: 64 };
  for (let items = 512; items >= 2; items /= 2) yield { text: Math.max(60, (max / items) * 0.7), items, depth: 64 };
  for (let depth = 8; depth >= 1; depth--) yield { text: 80, items: 8, depth };
  yield { text: 60, items: 2, depth: 1 };
}

/** A JSON value whose text has at most `max` characters. */
export function cutValue(value: unknown, max: number): unknown {
  for (const bound of bounds(max, countUpTo(value, max / 2) >= max / 2)) {
    const cut = cutWithin(value, bound, 0);
    if (JSON.stringify(cut).length <= max) return cut;
  }
  // Nothing of its structure fits: an object that says so.
  for (let room = max - 40; room > 0; room -= 40) {
    const cut = { left_out: cutText(JSON.stringify(value), room) };
    if (JSON.stringify(cut).length <= max) return cut;
  }
  return null;
}

/** Values in a value, and no more than `most` are counted. */
function countUpTo(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const item of Object.values(value)) {
    if (count >= most) break;
    count += countUpTo(item, most - count);
  }
  return count;
}

function cutWithin(value: unknown, bound: Bounds, level: number): unknown {
  if (typeof value === 'string') return cutString(value, bound, level);
  if (typeof value !== 'object' || value === null) return value;
  if (level >= bound.depth) return `…[${Array.isArray(value) ? 'a list' : 'an object'} left out]…`;
  if (Array.isArray(value)) return cutList(value, bound, level);
  const keys = Object.keys(value);
  const kept = keys.length > bound.items ? keys.slice(0, bound.items) : keys;
  const cut: Record<string, unknown> = {};
  for (const key of kept) {
    Object.defineProperty(cut, cutText(key, 200), {
      value: cutWithin((value as Record<string, unknown>)[key], bound, level + 1),
      enumerable: true,
    });
  }
  if (kept.length < keys.length) cut['…'] = `[${keys.length - kept.length} of ${keys.length} keys left out]`;
  return cut;
}

/** Both ends of a list are kept: of a log, the end is what is asked for. */
function cutList(list: readonly unknown[], bound: Bounds, level: number): unknown[] {
  const cut = (item: unknown) => cutWithin(item, bound, level + 1);
  if (list.length <= bound.items) return list.map(cut);
  const head = Math.ceil(bound.items * 0.6);
  const tail = Math.floor(bound.items - head);
  const mark = `…[${list.length - head - tail} of ${list.length} items left out]…`;
  return [...list.slice(0, head).map(cut), mark, ...list.slice(list.length - tail).map(cut)];
}

/** A text that is JSON stays JSON. */
function cutString(text: string, bound: Bounds, level: number): string {
  if (text.length <= bound.text) return text;
  const nested = level < DEEPEST_NESTING ? parseStructure(text) : undefined;
  if (nested === undefined) return cutText(text, Math.floor(bound.text));
  return JSON.stringify(cutValue(nested, Math.floor(bound.text)));
}

/** An object or a list that a text is; `undefined` where it is another text. */
export function parseStructure(text: string): object | undefined {
  if (text.length > LONGEST_PARSED || !/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
