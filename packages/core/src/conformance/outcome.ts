import { AssertionError, fail } from 'node:assert/strict';
import { BEHAVIOURS, type Behaviour } from './behaviours.js';

/** What a play came to: its value, or the name and message of what it threw. Outcomes are compared by these alone. */
export interface Outcome {
  readonly value?: unknown;
  readonly error?: unknown;
}

/** What was thrown, with its stack. */
const thrown = new WeakMap<Outcome, unknown>();

/** Calls the play. Never throws. */
export async function outcomeOf(play: () => unknown): Promise<Outcome> {
  try {
    return { value: await play() };
  } catch (error) {
    const outcome = { error: error instanceof Error ? `${error.name}: ${error.message}` : error };
    thrown.set(outcome, error);
    return outcome;
  }
}

/** Errors of code that is wrong, of whatever is played. */
const OF_CODE =
  /^ReferenceError: |^TypeError: (?:.* is not (?:a function|a constructor|iterable|async iterable|defined)|Cannot |.*\bis (?:undefined|null)\b)/;

/**
 * A play may throw where the turn of its behaviour does not complete, as long as that is not a mistake in its own code.
 *
 * @throws AssertionError with what it threw otherwise
 */
export function checkThrown(behaviour: Behaviour, outcomes: readonly Outcome[]): void {
  const mayThrow = BEHAVIOURS[behaviour].tree('same turn').every((line) => !/^\S.*: completed/.test(line));
  for (const outcome of outcomes) {
    if (!thrown.has(outcome)) continue;
    if (!mayThrow || OF_CODE.test(String(outcome.error))) fail(`the play of ${behaviour} threw ${textOf(outcome)}`);
  }
}

/** Calls `check`; what it says of a play that threw says that as well. */
export function withThrown(outcomes: readonly Outcome[], check: () => void): void {
  try {
    check();
  } catch (error) {
    const texts = outcomes.filter((outcome) => thrown.has(outcome)).map(textOf);
    if (texts.length === 0 || !(error instanceof AssertionError)) throw error;
    const { message, actual, expected, operator } = error;
    const told = `the play threw ${texts.join('\nand ')}\n\n${message}`;
    throw new AssertionError({ message: told, actual, expected, operator });
  }
}

function textOf(outcome: Outcome): string {
  const error = thrown.get(outcome);
  try {
    if (!(error instanceof Error)) return String(error);
    return error.stack?.includes(error.message) === true ? error.stack : String(outcome.error);
  } catch {
    return 'something that cannot be told';
  }
}
