import type { TurnChange, TurnReload } from './turn-answer.js';
import type { TurnRow } from './turn-row.js';

export interface LiveListener {
  readonly onRows?: (rows: readonly TurnRow[]) => void;
  /** Traces that were evicted or deleted. */
  readonly onGone?: (traces: readonly string[]) => void;
  /** What changed in the turn that is watched. */
  readonly onTurn?: (change: TurnChange | TurnReload) => void;
  /** Too much was missed: ask for all again. */
  readonly onReload?: () => void;
}

/**
 * Watches the service. The browser connects again by itself, and the service then tells what was missed.
 * @param from version of what the listener has
 * @returns the function that ends it
 */
export function watchLive(listener: LiveListener, from?: number, trace?: string): () => void {
  const query = new URLSearchParams();
  if (trace !== undefined) query.set('trace', trace);
  if (from !== undefined) query.set('from', String(from));
  const source = new EventSource(`/api/live?${query}`);
  const on = <Data>(name: string, take: ((data: Data) => void) | undefined) => {
    if (take === undefined) return;
    source.addEventListener(name, (event) => {
      let data: Data;
      try {
        data = JSON.parse((event as MessageEvent<string>).data) as Data;
      } catch {
        return;
      }
      take(data);
    });
  };
  on('rows', listener.onRows);
  on('gone', listener.onGone);
  on('turn', listener.onTurn);
  source.addEventListener('reload', () => listener.onReload?.());
  return () => source.close();
}
