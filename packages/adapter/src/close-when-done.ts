import type { Observer } from '@hermes-observer/otel';

/** How long the end of a program waits for a backend that does not answer. */
const MOST_MS = 2_000;

/**
 * Sends what is left when the program has nothing left to do, and closes the observer when nothing more has come since: other
 * listeners of `beforeExit` may begin work that is to be observed. Waits two seconds for an answer; then it closes at once. A
 * backend that cannot be reached is not waited for so long.
 */
export function closeWhenDone(observer: Pick<Observer, 'flush' | 'shutdown' | 'counts'>): void {
  let round = 0;
  let isFlushing = false;
  const listener = () => {
    if (isFlushing) return;
    isFlushing = true;
    void finish().finally(() => {
      isFlushing = false;
    });
  };
  const finish = async () => {
    const before = doneWith(observer);
    const start = performance.now();
    await observer.flush(MOST_MS, true);
    const isLate = performance.now() - start >= MOST_MS - 50;
    if (isLate || (round++ > 0 && doneWith(observer) === before)) {
      process.removeListener('beforeExit', listener);
      await observer.shutdown(isLate ? 0 : MOST_MS);
      return;
    }
    // Node.js asks again once it has had something to do.
    setImmediate(() => {});
  };
  process.on('beforeExit', listener);
}

/** Spans that went out or were lost. */
function doneWith({ counts }: Pick<Observer, 'counts'>): number {
  const { exportedSpans, failedSpans, leftOutSpans, droppedSpans } = counts;
  return exportedSpans + failedSpans + leftOutSpans + droppedSpans;
}
