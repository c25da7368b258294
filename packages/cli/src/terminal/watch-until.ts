import type { LiveEvent, TurnSource } from './source.js';

/**
 * Watches until the source ends it, or until something has to be read anew.
 * @param take gets each event and `readAnew`, which ends the watch
 */
export async function watchUntil(
  source: TurnSource,
  { from, trace }: { readonly from: number; readonly trace?: string | undefined },
  take: (event: LiveEvent, readAnew: () => void) => void,
  signal: AbortSignal,
): Promise<void> {
  const enough = new AbortController();
  const readAnew = () => enough.abort();
  try {
    await source.watch(from, trace, (event) => take(event, readAnew), AbortSignal.any([signal, enough.signal]));
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  }
}
