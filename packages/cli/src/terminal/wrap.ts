import { displayWidth } from '../view/display-width.js';
import { escapeText } from '../view/escape.js';

/** Units looked at at once, so that a text of one line and many megabytes costs what is shown of it. */
const CHUNK = 2_000;
const PRINTABLE_ASCII = /^[ -~]*$/;
const segmenter = new Intl.Segmenter();

export interface Wrapped {
  /** Safe to print, none wider than asked for. */
  readonly lines: readonly string[];
  /** There is more. */
  readonly isCut: boolean;
}

/** A text of any length as lines: its own line ends stay, long ones are broken, at blanks where there are some. */
export function wrap(text: string, width: number, mostLines: number): Wrapped {
  const lines: string[] = [];
  const columns = Math.max(4, width);
  for (let from = 0; from <= text.length; ) {
    const found = text.indexOf('\n', from);
    const end = found === -1 ? text.length : found;
    for (let at = from; at === from || at < end; ) {
      if (lines.length >= mostLines) return { lines, isCut: true };
      const until = Math.min(end, at + CHUNK);
      // No half of a pair.
      const isHalf = until < end && /[\uD800-\uDBFF]/.test(text.charAt(until - 1));
      const to = isHalf ? until - 1 : until;
      if (!breakLine(escapeText(text.slice(at, to)), columns, lines, mostLines)) return { lines, isCut: true };
      at = to;
      if (at === from) break;
    }
    from = end + 1;
  }
  return { lines, isCut: false };
}

/** @returns whether all of it found room */
function breakLine(text: string, width: number, lines: string[], mostLines: number): boolean {
  let rest = text;
  do {
    if (lines.length >= mostLines) return false;
    const length = fitting(rest, width);
    if (length >= rest.length) {
      lines.push(rest);
      return true;
    }
    const blank = rest.lastIndexOf(' ', length);
    const at = blank > length / 2 ? blank : length;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).replace(/^ /, '');
  } while (rest !== '');
  return true;
}

/** Units of a text that fit into a line: at least one sign. */
function fitting(text: string, width: number): number {
  const start = text.slice(0, width);
  if (PRINTABLE_ASCII.test(start)) return start.length;
  let used = 0;
  let length = 0;
  for (const { segment } of segmenter.segment(text.slice(0, width * 16))) {
    used += displayWidth(segment);
    if (used > width && length > 0) break;
    length += segment.length;
  }
  return length;
}
