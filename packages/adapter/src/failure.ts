import { type Failure, failureOf } from '@hermes-observer/core';

const MOST_CAUSES = 4;

/** How requests failed, by what was thrown. */
const ofRequests = new WeakMap<object, Failure>();

/**
 * What a framework throws, in the words of the contract. Some wrap what happened into an error of their own: with
 * `lastError` (the one of the last attempt) that one counts, and where a request failed with the cause of it, that request.
 */
export function failureIn(error: unknown, signal?: AbortSignal): Failure {
  let inner = error;
  for (let depth = 0; depth < MOST_CAUSES; depth++) {
    const last = fieldOf(inner, 'lastError');
    if (last === undefined) break;
    inner = last;
  }
  const failure = failureOf(inner, signal);
  const known = failureOfCause(inner);
  return known === undefined ? failure : { ...failure, type: known.type, statusCode: known.statusCode };
}

/** A request failed with this: whatever it is the cause of has failed in the same way. */
export function rememberFailure(error: unknown, failure: Failure): void {
  if (typeof error === 'object' && error !== null) ofRequests.set(error, failure);
}

function failureOfCause(error: unknown): Failure | undefined {
  let one = error;
  for (let depth = 0; depth < MOST_CAUSES && typeof one === 'object' && one !== null; depth++) {
    const known = ofRequests.get(one);
    if (known !== undefined) return known;
    one = fieldOf(one, 'cause');
  }
  return undefined;
}

function fieldOf(error: unknown, name: 'lastError' | 'cause'): unknown {
  try {
    return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}
