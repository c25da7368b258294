import type { TurnColumns } from '../traces/columns.js';
import type { SpanDetail } from '../traces/span-detail.js';
import type { TurnPage } from '../traces/turn-query.js';

/** What the list is narrowed to; `''` for all. */
export interface ListQuery {
  readonly text: string;
  readonly outcome: string;
}

export interface LiveEvent {
  /** `rows`, `gone`, `turn`, `reload`, as `/api/live` has them. */
  readonly name: string;
  readonly data: unknown;
}

/** Where turns come from: a service that runs, or files. */
export interface TurnSource {
  /** What it shows may go on: `watch` tells how. */
  readonly isLive: boolean;
  /** @param limit at most 1000 @param before `next` of the page before */
  turns(query: ListQuery, limit: number, before: string | null, signal: AbortSignal): Promise<TurnPage>;
  /** @throws NotThere */
  turn(trace: string, signal: AbortSignal): Promise<TurnColumns>;
  /** @throws NotThere */
  span(trace: string, span: string, signal: AbortSignal): Promise<SpanDetail>;
  /**
   * Tells what happens after version `from`, of the spans of `trace` if one is given. Resolves when the source ends it, and
   * rejects when it breaks.
   */
  watch(
    from: number,
    trace: string | undefined,
    onEvent: (event: LiveEvent) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/** The turn or span is gone, or never was. */
export class NotThere extends Error {}
