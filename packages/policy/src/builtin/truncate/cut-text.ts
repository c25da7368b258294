/** A text with its middle taken out, of at most `max` characters with the mark that says how much that is. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const mark = (left: number) => `…[${left} of ${text.length} characters left out]…`;
  const room = max - mark(text.length).length;
  if (room <= 0) return max >= 1 ? '…'.slice(0, max) : '';
  // The beginning says more than the end.
  const head = boundaryBefore(text, Math.ceil(room * 0.6));
  const tail = boundaryAfter(text, text.length - (room - Math.ceil(room * 0.6)));
  return text.slice(0, head) + mark(tail - head) + text.slice(tail);
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Longest character, of several code points, that is kept whole. */
const WINDOW = 64;

/** The last place at or before `at` where no character is cut: neither a pair nor one of several code points. */
function boundaryBefore(text: string, at: number): number {
  if (isPlain(text, at)) return at;
  const from = windowStart(text, at);
  let last = from;
  for (const { index } of GRAPHEMES.segment(text.slice(from, at + WINDOW))) {
    if (from + index > at) break;
    last = from + index;
  }
  // One that is longer than the window is cut, but never inside of a pair.
  return last > from || from === 0 ? last : pairStart(text, at);
}

function boundaryAfter(text: string, at: number): number {
  if (isPlain(text, at)) return at;
  const from = windowStart(text, at);
  for (const { index } of GRAPHEMES.segment(text.slice(from, at + WINDOW))) {
    if (from + index >= at) return from + index;
  }
  const start = pairStart(text, at);
  return start < at ? at + 1 : at;
}

/** Between two printable ASCII characters, nothing belongs together. */
function isPlain(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0x20 && before < 0x7f && after >= 0x20 && after < 0x7f;
}

/** A place before `at` where a character begins. */
function windowStart(text: string, at: number): number {
  const start = pairStart(text, Math.max(0, at - WINDOW));
  // Flags are pairs of letters of their own: which two belong together depends on where their row begins.
  let row = start;
  while (row > 1 && isFlagLetter(text, row - 2)) row -= 2;
  // A row may be as long as the text: not from its beginning, but from a whole flag.
  return start - ((start - row) % FLAG_UNITS);
}

/** Two letters, each of them a surrogate pair. */
const FLAG_UNITS = 4;

/** Regional indicators, in UTF-16. */
const isFlagLetter = (text: string, at: number): boolean =>
  text.charCodeAt(at) === 0xd83c && text.charCodeAt(at + 1) >= 0xdde6 && text.charCodeAt(at + 1) <= 0xddff;

/** `at`, or one less inside of a surrogate pair. */
function pairStart(text: string, at: number): number {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? at - 1 : at;
}
