import { createContext, Script } from 'node:vm';
import type { TextTest } from './glob.js';

/** Milliseconds for one test whose end cannot be foretold, and steps up to which one is tested directly. */
const TIME_LIMIT_MS = 50;
const CHEAP_STEPS = 2_000_000;
const LONGEST_PATTERN = 4096;

/**
 * Tests with a regular expression, and never for longer than 50 milliseconds: then it throws a `RangeError`, for who cannot
 * tell must not say no. `whole`: all of the text has to match. Flags `g` and `y` do not count. Throws a `SyntaxError` for a
 * pattern that is too long.
 */
export function compileRegExp(given: RegExp, whole: boolean): TextTest {
  const { source, flags } = given;
  if (source.length > LONGEST_PATTERN)
    throw new SyntaxError(`a regular expression of more than ${LONGEST_PATTERN} characters`);
  // Not `^` and `$`: with the flag `m` they match inside a text.
  const pattern = new RegExp(whole ? `(?<![\\s\\S])(?:${source})(?![\\s\\S])` : source, flags.replace(/[gy]/g, ''));
  const cost = costOf(source, flags);
  return (text) => {
    const steps = cost.factor * (text.length + 1) ** (cost.exponent + (whole ? 0 : 1));
    return steps <= CHEAP_STEPS ? pattern.test(text) : testWithin(pattern, text);
  };
}

/** At most `factor × length ^ exponent` steps from one place of a text. */
interface Cost {
  readonly factor: number;
  readonly exponent: number;
}

const ENDLESS: Cost = { factor: Number.POSITIVE_INFINITY, exponent: 0 };

/** An upper bound, by the signs of the pattern alone. A repeated group may take for ever. */
function costOf(source: string, flags: string): Cost {
  // Classes inside classes, and texts that refer to other texts.
  if (flags.includes('v') || /\\[1-9]|\\k</.test(source)) return ENDLESS;
  const signs = source
    .replace(/\\[\s\S]/g, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(');
  if (/\)[*+{]/.test(signs)) return ENDLESS;
  const repeats = (signs.match(/[*+]|\{\d/g) ?? []).length;
  const optional = (signs.match(/(?<![*+?}])\?/g) ?? []).length;
  const bars = (signs.match(/\|/g) ?? []).length;
  const groups = Math.min(bars, (signs.match(/\(/g) ?? []).length + 1);
  const alternatives = groups === 0 ? 1 : (bars / groups + 1) ** groups;
  return { factor: (source.length + 1) * 2 ** optional * alternatives, exponent: repeats };
}

const context = createContext(Object.create(null) as object) as {
  pattern: RegExp | undefined;
  text: string | undefined;
};
const script = new Script('pattern.test(text)');

/** V8 looks at the time while it backtracks, but only for code that was started with a limit. */
function testWithin(pattern: RegExp, text: string): boolean {
  context.pattern = pattern;
  context.text = text;
  try {
    return script.runInContext(context, { timeout: TIME_LIMIT_MS }) as boolean;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new RangeError(`a regular expression took longer than ${TIME_LIMIT_MS} ms on this text`);
  } finally {
    context.text = undefined;
  }
}
