/** A shorter line is parsed in no time, whatever is in it, and most are. */
const SMALL_CHARS = 256 * 1024;
/** What reads or writes JSON goes one call deeper with each level. */
export const MOST_LEVELS = 512;
/** An empty list is two bytes in a line, and fifty in memory. */
export const MOST_CONTAINERS = 200_000;

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * What would make a line of JSON cost far more than its bytes: lists and objects deep inside one another, or without number.
 * `undefined` for all other lines, and for short ones. Cheaper than parsing: what is in strings is passed over.
 */
export function heavinessOf(text: string): string | undefined {
  if (text.length <= SMALL_CHARS) return undefined;
  let levels = 0;
  let containers = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    // `[` and `{`, `]` and `}`: they differ in one bit.
    else if ((code | 0x20) === 0x7b) {
      levels++;
      containers++;
      if (levels > MOST_LEVELS) return TOO_DEEP;
      if (containers > MOST_CONTAINERS) return `has more than ${MOST_CONTAINERS} lists and objects`;
    } else if ((code | 0x20) === 0x7d) levels--;
  }
  return undefined;
}

const TOO_DEEP = `has lists or objects more than ${MOST_LEVELS} levels deep`;

/** Where the string that begins at `start` ends; the end of the text if it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
