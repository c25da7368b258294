import type { RedactionPath, RedactionRule } from './options.js';

type Leaf = string | number | boolean | null;

/** What a user's rule gives for a value; `undefined` when that is nothing to go on with, so that the value must not stay. */
export function ruled(rule: RedactionRule, value: Leaf, path: RedactionPath): Leaf | undefined {
  try {
    const given: unknown = rule(value, [...path]);
    if (typeof given === 'string' || typeof given === 'boolean' || given === null) return given;
    if (typeof given === 'number' && Number.isFinite(given)) return given;
    // A promise that fails must not become an unhandled rejection.
    if (typeof given === 'object' || typeof given === 'function') settleQuietly(given as { then?: unknown });
  } catch {
    // A rule that throws has not decided that the value may stay.
  }
  return undefined;
}

function settleQuietly(given: { then?: unknown }): void {
  const { then } = given;
  if (typeof then === 'function')
    then.call(
      given,
      () => {},
      () => {},
    );
}
