import type { ActiveSpan } from './active-span.js';

/**
 * Calls the agent's function at once and waits for what it returns. `done` may put another value in its place; the error
 * is thrown again as it is. Nothing that `done` or `failed` throw gets through.
 */
export function settle<T>(
  place: ActiveSpan,
  fn: () => T | PromiseLike<T>,
  done: (value: T) => T | PromiseLike<T>,
  failed: (error: unknown) => void,
): Promise<T> {
  return new Promise<T>((resolve) => resolve(place.run(fn))).then(
    (value) => {
      try {
        return done(value);
      } catch {
        return value;
      }
    },
    (error: unknown) => {
      quietly(() => failed(error));
      throw error;
    },
  );
}

/** What fails here fails for us alone. */
export function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The agent's own work goes on.
  }
}
