/** Index of the quote that ends a string opened by `quote` behind `slashes` backslashes; else of the line's or text's end. */
export function closingQuote(text: string, from: number, quote: string, slashes: number): number {
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char === '\n' && quote !== '`') return i;
    if (char !== quote) continue;
    let before = 0;
    while (i - before > from && text[i - 1 - before] === '\\') before++;
    if (before === slashes || (slashes === 0 && before % 2 === 0)) return slashes === 0 ? i : i - before;
  }
  return text.length;
}

/** Index behind the bracket that closes the one at `from`, brackets in strings aside; else the end of the text. */
export function closingBracket(text: string, from: number, slashes: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) return i + 1;
    } else if (char === '"') {
      i = closingQuote(text, i + 1, '"', slashes) + slashes;
    }
  }
  return text.length;
}

const BLOCK_SIGN = /[|>][-+0-9]{0,2}[ \t]{0,8}\r?\n/y;
const WIDEST_INDENT = 200;

/** Bounds of the lines of a YAML block scalar whose `|` or `>` stands at `at`, in the entry named at `name`. */
export function blockScalar(text: string, at: number, name: number): { from: number; to: number } | undefined {
  const sign = matchAt(BLOCK_SIGN, text, at);
  if (sign === null) return undefined;
  const lineStart = text.lastIndexOf('\n', name) + 1;
  const indent = Math.min(indentAt(text, lineStart), name - lineStart);
  const from = at + sign[0].length;
  let to = from;
  while (to < text.length) {
    const inner = indentAt(text, to);
    const blank = text[to + inner] === '\n' || text[to + inner] === '\r';
    if (inner <= indent && !blank) break;
    const next = text.indexOf('\n', to + inner);
    to = next === -1 ? text.length : next + 1;
  }
  const end = to > from && text[to - 1] === '\n' ? to - 1 : to;
  return end > from ? { from: from + indentAt(text, from), to: end } : undefined;
}

function indentAt(text: string, from: number): number {
  let width = 0;
  while (width < WIDEST_INDENT && (text[from + width] === ' ' || text[from + width] === '\t')) width++;
  return width;
}

/** The match of a sticky expression at this very place. */
export function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
