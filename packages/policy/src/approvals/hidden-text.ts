import type { JsonValue } from '@hermes-observer/core';

/** A mark of the redactor: `[redacted:secret]`, `[redacted:email:1b2c…]`. */
const MARK = /\[redacted(?::[^\][\s]{1,80})?\]/g;
/** What a secret looks like: two words at most, as in `Bearer abc`, and nothing that means something to a shell. */
const ONE_SECRET = /^[\w.~+/=:@%,#!?*^-]{0,512}(?: [\w.~+/=:@%,#!?*^-]{1,512})?$/;

/**
 * Redacted data in which a mark says so where it may hide more than a secret: `password="$(rm -rf ~)"` is masked as a whole, and
 * who approves it must know that there is something that they do not see.
 */
export function withHidden(original: JsonValue, redacted: JsonValue): JsonValue {
  if (typeof redacted === 'string')
    return typeof original === 'string' ? textWith(original, redacted) : whole(original, redacted);
  if (typeof original !== 'object' || typeof redacted !== 'object' || original === null || redacted === null)
    return redacted;
  if (Array.isArray(original) !== Array.isArray(redacted)) return redacted;
  const values = Object.values(original);
  const entries = Object.entries(redacted);
  // Values that were taken out, as by `remove`: which ones is not known here.
  if (values.length !== entries.length) return redacted;
  const marked = entries.map(([key, value], i) => [key, withHidden(values[i] as JsonValue, value)] as const);
  return Array.isArray(redacted) ? marked.map(([, value]) => value) : (Object.fromEntries(marked) as JsonValue);
}

/** A whole list or object behind one mark. */
function whole(original: JsonValue, redacted: string): string {
  return typeof original === 'object' && original !== null ? said(redacted, JSON.stringify(original)) : redacted;
}

function textWith(original: string, redacted: string): string {
  if (original === redacted) return redacted;
  const marks = [...redacted.matchAll(MARK)];
  // What was taken out has no mark.
  if (marks.length === 0) return said(redacted, original);
  let text = '';
  let at = 0;
  let from = 0;
  marks.forEach(({ 0: mark, index }, i) => {
    const before = redacted.slice(from, index);
    from = index + mark.length;
    const start = original.startsWith(before, at) ? at + before.length : -1;
    const behind = redacted.slice(from, marks[i + 1]?.index);
    const end = i + 1 === marks.length ? original.length - behind.length : original.indexOf(behind, start);
    // Where it cannot be told what is hidden, it may be anything.
    const hidden = start < 0 || end < start ? undefined : original.slice(start, end);
    at = hidden === undefined ? Number.POSITIVE_INFINITY : end;
    text +=
      before +
      (hidden === mark || (hidden !== undefined && ONE_SECRET.test(hidden)) ? mark : said(mark, hidden ?? original));
  });
  return text + redacted.slice(from);
}

const said = (mark: string, hidden: string): string =>
  `${mark}[IT HIDES ${hidden.length} CHARACTERS THAT MAY BE MORE THAN A SECRET]`;
