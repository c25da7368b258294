/** ES2024 string methods that Node 20 has and the ES2023 typings lack. */
interface WellFormable {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

/** `text` with each lone surrogate replaced by U+FFFD, so that it has a UTF-8 form. */
export function wellFormed(text: string): string {
  const checked = text as unknown as WellFormable;
  return checked.isWellFormed() ? text : checked.toWellFormed();
}

/** Shortest limit at which the mark says how much is missing. */
const SMALLEST_COUNTED = 32;
const SHORT_MARK = '…[+]';

/**
 * `text` cut to at most `maxUnits` UTF-16 units, the mark included: `the first words…[+120 chars]`, where the number
 * counts the units left out. Never splits a surrogate pair. With limits under 32 the mark is `…[+]`, and under 4, where
 * it has no room, nothing is left: a start without a mark would look like a whole text, half a key like none.
 */
export function cutString(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  if (maxUnits < SHORT_MARK.length) return '';
  if (maxUnits < SMALLEST_COUNTED) return text.slice(0, pairBoundary(text, maxUnits - SHORT_MARK.length)) + SHORT_MARK;
  const end = pairBoundary(text, maxUnits - cutMark(text.length).length);
  return text.slice(0, end) + cutMark(text.length - end);
}

function cutMark(units: number): string {
  return `…[+${units} chars]`;
}

/** Matches the mark that `cutString` leaves at the end of a text. */
export const CUT_MARK = /…\[\+(?:\d+ chars)?\]$/;

/** `end`, or one less where a pair would be split. */
function pairBoundary(text: string, end: number): number {
  if (end <= 0) return 0;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

const SHORT = 40;

/** Bytes of `text` in UTF-8. A lone surrogate counts as U+FFFD: 3 bytes. */
export function utf8Length(text: string): number {
  const units = text.length;
  // The native call costs more than a loop over a short ASCII text, which most keys and ids are.
  if (units > SHORT) return Buffer.byteLength(text);
  for (let i = 0; i < units; i++) {
    if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text);
  }
  return units;
}

/** Longest start of `text` whose UTF-8 form has at most `maxBytes` bytes, marked as `cutString` does. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (maxBytes <= 0) return '';
  // A first cut by units bounds the work for a huge text: a unit has at least one byte.
  let kept = cutString(text, maxBytes);
  while (utf8Length(kept) > maxBytes) {
    // Three bytes a unit is the most, so a third of the surplus is the least to take off; halving bounds the rounds.
    const surplus = utf8Length(kept) - maxBytes;
    const units = Math.min(kept.length - Math.ceil(surplus / 3), kept.length - 1);
    kept = cutString(text, units);
  }
  return kept;
}
