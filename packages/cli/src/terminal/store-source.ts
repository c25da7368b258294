import { now } from '@hermes-observer/core';
import { columnsOf, type TurnColumns } from '../traces/columns.js';
import { nanosFrom } from '../traces/relative-time.js';
import { detailOf, type SpanDetail } from '../traces/span-detail.js';
import type { Trace } from '../traces/trace.js';
import type { TraceStore } from '../traces/trace-store.js';
import { queryTurns, type TurnPage } from '../traces/turn-query.js';
import { type ListQuery, NotThere, type TurnSource } from './source.js';

/** Turns of files, in this process. */
export class StoreSource implements TurnSource {
  readonly isLive = false;
  readonly #store: TraceStore;

  constructor(store: TraceStore) {
    this.#store = store;
  }

  turns({ text, outcome }: ListQuery, limit: number, before: string | null): Promise<TurnPage> {
    return queryTurns(this.#store, {
      limit,
      ...(text !== '' && { text }),
      ...(outcome !== '' && { outcome }),
      ...(before !== null && { before }),
    });
  }

  async turn(id: string): Promise<TurnColumns> {
    const trace = this.#find(id);
    return columnsOf(trace, Math.max(0, nanosFrom(trace.base, now()) ?? 0));
  }

  async span(id: string, spanId: string): Promise<SpanDetail> {
    const trace = this.#find(id);
    const span = trace.find(spanId);
    if (span === undefined) throw new NotThere('there is no such span');
    return detailOf(trace, span, false);
  }

  async watch(): Promise<void> {}

  #find(id: string): Trace {
    const trace = this.#store.find(id);
    if (trace === undefined) throw new NotThere('there is no such turn');
    return trace;
  }
}
