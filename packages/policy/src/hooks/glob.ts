/** Longest pattern, most patterns that its braces stand for, and steps that one comparison may take. */
const LONGEST_PATTERN = 1024;
const MOST_ALTERNATIVES = 256;
const MOST_STEPS = 20_000_000;

/** Tests a whole text. Throws a `RangeError` where it would take too long: who cannot tell must not say no. */
export type TextTest = (text: string) => boolean;

/**
 * A glob over a whole text: `*` any number of characters, `?` one, `[a-z]`, `[!a-z]`, `{a,b}`, `\` for the next one as it is.
 * Linear in the text but for hostile pairs, which end after 20 million steps. Throws a `SyntaxError` that says what is wrong
 * with the pattern.
 */
export function compileGlob(pattern: string): TextTest {
  if (pattern.length > LONGEST_PATTERN) throw new SyntaxError(`a pattern of more than ${LONGEST_PATTERN} characters`);
  const alternatives = expandBraces(pattern).map(parseGlob);
  const [only] = alternatives;
  if (alternatives.length === 1 && only !== undefined) {
    const literal = literalOf(only);
    if (literal !== undefined) return (text) => text === literal;
    return (text) => matches(only, text, { steps: 0 });
  }
  return (text) => {
    const budget = { steps: 0 };
    return alternatives.some((pieces) => matches(pieces, text, budget));
  };
}

/** One character of a pattern: itself, any, or one in (or out of) ranges. */
type Piece = string | typeof STAR | typeof ANY | CharacterSet;
const STAR = Symbol('*');
const ANY = Symbol('?');
interface CharacterSet {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

function literalOf(pieces: readonly Piece[]): string | undefined {
  return pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : undefined;
}

/** Greedy: after a `*`, the first place where the rest up to the next `*` fits is as good as any later one. */
function matches(pieces: readonly Piece[], text: string, budget: { steps: number }): boolean {
  let at = 0;
  let piece = 0;
  let starAt = -1;
  let starPiece = -1;
  while (at < text.length) {
    if (++budget.steps > MOST_STEPS) throw new RangeError('a glob takes too long on this text');
    const wanted = pieces[piece];
    if (wanted === STAR) {
      starPiece = ++piece;
      starAt = at;
      if (piece === pieces.length) return true;
    } else if (wanted !== undefined && fits(wanted, text.charCodeAt(at))) {
      at++;
      piece++;
    } else if (starPiece >= 0) {
      at = ++starAt;
      piece = starPiece;
    } else return false;
  }
  while (pieces[piece] === STAR) piece++;
  return piece === pieces.length;
}

function fits(piece: Exclude<Piece, typeof STAR>, unit: number): boolean {
  if (typeof piece === 'string') return piece.charCodeAt(0) === unit;
  if (piece === ANY) return true;
  const inside = (piece as CharacterSet).ranges.some(([from, to]) => from <= unit && unit <= to);
  return inside !== (piece as CharacterSet).negated;
}

function parseGlob(pattern: string): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] as string;
    if (char === '*') {
      if (pieces.at(-1) !== STAR) pieces.push(STAR);
    } else if (char === '?') pieces.push(ANY);
    else if (char === '[') {
      const [set, end] = parseSet(pattern, i);
      pieces.push(set);
      i = end;
    } else if (char === '\\') {
      const next = pattern[++i];
      if (next === undefined) throw new SyntaxError('a pattern ends with a backslash');
      pieces.push(next);
    } else pieces.push(char);
  }
  return pieces;
}

function parseSet(pattern: string, open: number): [CharacterSet, number] {
  let i = open + 1;
  const negated = pattern[i] === '!' || pattern[i] === '^';
  if (negated) i++;
  const ranges: [number, number][] = [];
  for (let first = true; ; first = false) {
    let char = pattern[i];
    if (char === ']' && !first) break;
    if (char === '\\') char = pattern[++i];
    if (char === undefined) throw new SyntaxError('a pattern has a `[` without its `]`');
    const from = char.charCodeAt(0);
    let to = from;
    i++;
    if (pattern[i] === '-' && pattern[i + 1] !== ']' && pattern[i + 1] !== undefined) {
      const end = pattern[i + 1] === '\\' ? pattern[i + 2] : pattern[i + 1];
      i += pattern[i + 1] === '\\' ? 3 : 2;
      if (end === undefined) throw new SyntaxError('a pattern has a `[` without its `]`');
      to = end.charCodeAt(0);
      if (to < from) throw new SyntaxError('a pattern has a range that runs backwards');
    }
    ranges.push([from, to]);
  }
  return [{ negated, ranges }, i];
}

function expandBraces(pattern: string): string[] {
  const group = firstGroup(pattern);
  if (group === undefined) return [pattern];
  const results: string[] = [];
  for (const option of group.options) {
    results.push(...expandBraces(pattern.slice(0, group.start) + option + pattern.slice(group.end)));
    if (results.length > MOST_ALTERNATIVES) {
      throw new SyntaxError(`the braces of a pattern stand for more than ${MOST_ALTERNATIVES} patterns`);
    }
  }
  return results;
}

/** The first `{…}` outside `[…]`: its options, nested braces in them kept as they are. */
function firstGroup(pattern: string): { start: number; end: number; options: string[] } | undefined {
  let start = -1;
  let depth = 0;
  let from = 0;
  let inSet = false;
  const options: string[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === '\\') i++;
    else if (inSet) inSet = char !== ']';
    else if (char === '[') {
      inSet = true;
      // A `]` that comes first is one of the set.
      if (pattern[i + 1] === '!' || pattern[i + 1] === '^') i++;
      if (pattern[i + 1] === ']') i++;
    } else if (char === '{') {
      if (depth++ === 0) {
        start = i;
        from = i + 1;
      }
    } else if (char === '}' && depth > 0) {
      if (--depth > 0) continue;
      options.push(pattern.slice(from, i));
      return { start, end: i + 1, options };
    } else if (char === ',' && depth === 1) {
      options.push(pattern.slice(from, i));
      from = i + 1;
    }
  }
  if (depth > 0) throw new SyntaxError('a pattern has a `{` without its `}`');
  return undefined;
}
