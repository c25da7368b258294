import { setTimeout as pause } from 'node:timers/promises';

const FIRST_WAIT = 200;
const MOST_WAIT = 2_000;
/** A source that ends at once is not asked without rest. */
const LEAST_ROUND = 50;

export interface Following {
  /** Reads all that is shown. @returns the version that this is */
  readonly load: (signal: AbortSignal) => Promise<number>;
  /** Tells what comes after it, until all has to be read anew. `undefined`: nothing comes. */
  readonly watch: ((from: number, signal: AbortSignal) => Promise<void>) | undefined;
  readonly onConnected: () => void;
  /** It does not answer; it is tried again. @returns whether that makes sense */
  readonly onFault: (error: unknown) => boolean;
}

/** Keeps something up to date until `signal`: loads, watches, and begins again after a break. Never rejects. */
export async function follow({ load, watch, onConnected, onFault }: Following, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      const from = await load(signal);
      if (signal.aborted) return;
      onConnected();
      wait = FIRST_WAIT;
      if (watch === undefined) return;
      await watch(from, signal);
      await pause(LEAST_ROUND, undefined, { signal });
    } catch (error) {
      if (signal.aborted || !onFault(error)) return;
      await pause(wait, undefined, { signal }).catch(() => {});
      wait = Math.min(wait * 2, MOST_WAIT);
    }
  }
}
