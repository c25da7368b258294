import { isRegExp } from 'node:util/types';
import { canonicalJson, frozenCopy } from '../call/canonical.js';
import { parseArgPath, valuesAt } from './arg-path.js';
import { compileRegExp } from './bounded-regexp.js';
import { checkFields, configError, kindOf } from './config-error.js';
import { compileGlob, type TextTest } from './glob.js';
import type { ArgTest } from './matcher.js';

export type ArgsTest = (args: Readonly<Record<string, unknown>>) => boolean;
type ValueTest = (value: unknown) => boolean;

const FIELDS = ['equals', 'oneOf', 'glob', 'matches', 'above', 'below', 'exists'];
/** Milliseconds that one test may spend on all values at its path. */
const TIME_LIMIT_MS = 250;

/** Throws `HO_POLICY_CONFIG`. The test throws where it cannot tell: a number is asked for, and a text is there. */
export function compileArgTest(path: string, test: ArgTest, where: string): ArgsTest {
  const place = `${where}, argument \`${path}\``;
  const steps = configured(place, () => parseArgPath(path));
  const { exists, tests } = compileTests(test, place);
  return (args) => {
    const values = valuesAt(args, steps);
    if (exists === false) return values.length === 0;
    if (values.length === 0) return false;
    const began = values.length === 1 ? 0 : performance.now();
    for (const value of values) {
      if (tests.every((holds) => holds(value))) return true;
      if (values.length > 1 && performance.now() - began > TIME_LIMIT_MS)
        throw new RangeError(`the values at ${path} take too long to look at`);
    }
    return false;
  };
}

function compileTests(test: ArgTest, place: string): { exists: boolean | undefined; tests: ValueTest[] } {
  if (test === null || typeof test !== 'object') {
    if (test === undefined || typeof test === 'function')
      throw configError(`${place} must be a value or a test, got ${kindOf(test)}.`);
    return { exists: undefined, tests: [(value) => Object.is(value, test)] };
  }
  const fields = checkFields(test, FIELDS, place);
  const { equals, oneOf, glob, matches, above, below, exists } = fields;
  const tests: ValueTest[] = [];
  if (Object.hasOwn(fields, 'equals')) tests.push(sameAs([equals], place));
  if (oneOf !== undefined) {
    if (!Array.isArray(oneOf) || oneOf.length === 0)
      throw configError(`${place}: \`oneOf\` must be a list that is not empty.`);
    tests.push(sameAs(oneOf, place));
  }
  if (glob !== undefined) {
    if (typeof glob !== 'string') throw configError(`${place}: \`glob\` must be a text, got ${kindOf(glob)}.`);
    tests.push(ofText(configured(place, () => compileGlob(glob))));
  }
  if (matches !== undefined) {
    if (!isRegExp(matches))
      throw configError(`${place}: \`matches\` must be a regular expression, got ${kindOf(matches)}.`);
    tests.push(ofText(configured(place, () => compileRegExp(matches, false))));
  }
  for (const [name, bound, holds] of [
    ['above', above, (value: number) => value > (above as number)],
    ['below', below, (value: number) => value < (below as number)],
  ] as const) {
    if (bound === undefined) continue;
    if (typeof bound !== 'number' || Number.isNaN(bound))
      throw configError(`${place}: \`${name}\` must be a number, got ${kindOf(bound)}.`);
    tests.push(ofNumber(holds));
  }
  if (exists !== undefined && typeof exists !== 'boolean')
    throw configError(`${place}: \`exists\` must be true or false.`);
  if (exists === undefined && tests.length === 0) throw configError(`${place} tests nothing.`);
  if (exists === false && tests.length > 0) throw configError(`${place} must not be there, and pass other tests.`);
  return { exists, tests };
}

function sameAs(values: readonly unknown[], place: string): ValueTest {
  const wanted = new Set(values.map((value) => configured(place, () => canonicalJson(value))));
  return (value) => {
    const { json } = frozenCopy(value);
    return json !== undefined && wanted.has(json);
  };
}

function ofText(test: TextTest): ValueTest {
  return (value) => {
    if (value === null) return false;
    if (typeof value === 'string') return test(value);
    if (typeof value === 'number' || typeof value === 'boolean') return test(String(value));
    throw new TypeError('a text is tested for, and there is a list or a map');
  };
}

const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?\s*$/i;

function ofNumber(test: (value: number) => boolean): ValueTest {
  return (value) => {
    if (value === null) return false;
    if (typeof value === 'number' && !Number.isNaN(value)) return test(value);
    if (typeof value === 'string' && value.length < 400 && NUMBER.test(value)) return test(Number(value));
    throw new TypeError('a number is tested for, and there is none');
  };
}

/** What is wrong with a pattern is a mistake of the configuration. */
export function configured<T>(place: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw configError(`${place}: ${error instanceof Error ? error.message : String(error)}.`, error);
  }
}
