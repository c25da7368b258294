import { type HookRecord, parseRecord } from '@hermes-observer/core';
import {
  type Capture,
  ObserverTracerProvider,
  observerResource,
  SpanBridge,
  type SpanProcessor,
} from '@hermes-observer/otel';
import type { HistoryPort } from '../service/ports.js';
import { sessionOf } from '../traces/session-traces.js';
import { SpanFeed } from '../traces/span-feed.js';
import type { TraceStore } from '../traces/trace-store.js';

export interface RefillOptions {
  readonly store: TraceStore;
  readonly history: HistoryPort;
  readonly capture: Capture;
  readonly agentName: string;
  readonly serviceName: string | undefined;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  /** What puts something on spans. */
  readonly processors?: readonly SpanProcessor[];
}

/** Records from which traces are taken at once. */
const CHUNK = 16_384;
/** Records read before them, so that turns that began earlier are known as such. */
const LEAD = 4_096;
/** Records read behind them, for turns that end later. */
const TAIL = 16_384;
/** Records handled until the service gets its turn. */
const SLICE = 64;

/**
 * Makes spans again of the records that an earlier run has traced, the newest first, until the store is full. It reads the
 * journal and writes nothing. A stretch of records gives the traces that begin in it; a turn that began earlier is left to
 * the stretch before, which reads on behind its own end for as long as one of its traces is open.
 */
export class HistoryRefill {
  readonly #options: RefillOptions;
  #isStopped = false;
  /** Records read so far. */
  records = 0;

  constructor(options: RefillOptions) {
    this.#options = options;
  }

  /** Resolves when there is no more history, or no more room for it. */
  async run(): Promise<void> {
    const { history, store } = this.#options;
    for (let end = history.tracedFrom; end > history.oldestRecord && store.hasRoom && !this.#isStopped; end -= CHUNK) {
      await this.#stretch(Math.max(history.oldestRecord, end - CHUNK), end);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #stretch(from: number, to: number): Promise<void> {
    const { history, store, capture, agentName, serviceName, resourceAttributes, processors = [] } = this.#options;
    /** Traces that began before `from`, or that are known already. */
    const others = new Set<string>();
    const own = new Set<string>();
    const takes = (traceId: string) => own.has(traceId) && !others.has(traceId);
    const feed = new SpanFeed(store, 'history', takes);
    const bridge = new SpanBridge({
      tracerProvider: new ObserverTracerProvider({
        resource: observerResource(serviceName, {
          ...resourceAttributes,
          ...(serviceName !== undefined && { 'service.name': serviceName }),
        }),
        spanProcessors: [...processors, feed],
        onError: () => {},
      }),
      capture,
      agentName,
      onError: () => {},
    });
    const { watch } = bridge;
    let handled = 0;
    for await (const { position, line } of history.lines(from - LEAD, Math.min(to + TAIL, history.tracedFrom))) {
      if (position >= to && bridge.openTraces === 0) break;
      if (++handled % SLICE === 0) {
        // What is read is in the store before more is, so that its bound holds.
        feed.flush();
        if (this.#isStopped || !store.hasRoom) break;
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      const { record } = parseRecord(line.toString());
      if (record === undefined) continue;
      watch.trace = undefined;
      bridge.handleRecord(record);
      const traceId = (watch.trace as { traceId?: string | undefined } | undefined)?.traceId;
      if (traceId === undefined) continue;
      // A session may be deleted in the middle of its records.
      if (history.isDeleted(record, position)) others.add(traceId);
      else if (!own.has(traceId) && !others.has(traceId)) {
        const isOwn = position >= from && position < to && store.find(traceId) === undefined;
        (isOwn ? own : others).add(traceId);
      }
      feed.noteRecord(traceId, position);
    }
    this.records += handled;
    // What is open now never ended: it was given up, or goes on as a trace of the service.
    bridge.closeAll('producer_lost');
    await feed.shutdown();
    forgetDeleted(store, history);
  }
}

/** Takes out traces of sessions that were deleted while they, or before they, were made again. */
export function forgetDeleted(store: TraceStore, history: HistoryPort): void {
  const deleted = [...store.all()].filter((trace) => {
    const session_id = sessionOf(trace);
    const [first] = trace.places;
    if (session_id === undefined || first === undefined) return false;
    return history.isDeleted({ payload: { session_id } } as unknown as HookRecord, first);
  });
  if (deleted.length > 0) store.forget(deleted);
}
