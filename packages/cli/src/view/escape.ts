/** More units than any terminal has columns: what follows is never shown, so it is never looked at. */
const MOST_UNITS = 4096;

const BLANKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/**
 * What a terminal could take as a command or what hides or turns text: C0 and C1 controls, direction marks and
 * overrides, invisible format characters, tag characters, halves of surrogate pairs. Joiners stay: emoji and several
 * scripts need them.
 */
const UNSAFE =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * `text` as one line that is safe to print: line breaks and tabs become a space, any other unsafe character is written
 * as `\x1b` or `\u{202e}`. Doing it twice changes nothing. Texts beyond 4096 units are cut.
 */
export function escapeText(text: string): string {
  const bounded = text.length > MOST_UNITS ? text.slice(0, MOST_UNITS) : text;
  if (PRINTABLE_ASCII.test(bounded)) return bounded;
  return bounded.replace(BLANKS, ' ').replace(UNSAFE, escaped);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
