import { type Failure, failureOf } from '@hermes-observer/core';

const MOST_CAUSES = 4;

/**
 * What a framework throws, in the words of the contract. Some wrap what happened into an error of their own: with
 * `lastError` (the one of the last attempt) that one counts.
 */
export function failureIn(error: unknown, signal?: AbortSignal): Failure {
  let inner = error;
  for (let depth = 0; depth < MOST_CAUSES; depth++) {
    const last = lastErrorOf(inner);
    if (last === undefined) break;
    inner = last;
  }
  return failureOf(inner, signal);
}

function lastErrorOf(error: unknown): unknown {
  try {
    return typeof error === 'object' && error !== null ? (error as { lastError?: unknown }).lastError : undefined;
  } catch {
    return undefined;
  }
}
