import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until the answer is not `undefined`, and gives that.
 * @throws Error with `what` and the last error when nothing came within `millis`.
 */
export async function waitFor<T>(what: string, ask: () => Promise<T | undefined>, millis = 20_000): Promise<T> {
  const end = performance.now() + millis;
  let lastError: unknown;
  do {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await sleep(50);
  } while (performance.now() < end);
  const why = lastError === undefined ? '' : ` (${String(lastError)})`;
  throw new Error(`after ${millis} ms: ${what}${why}`, { cause: lastError });
}
