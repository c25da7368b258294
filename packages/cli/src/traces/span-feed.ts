import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Origin } from './trace.js';
import type { TraceStore } from './trace-store.js';

/** Spans are looked at together after so long: most start and end a moment apart, and tracing must not wait. */
const GATHER_MILLIS = 20;
/** Spans handled until others get their turn. */
const SLICE = 1_000;

/** Spans of a provider into a store, open ones too. On the path of tracing it notes that a span changed, and no more. */
export class SpanFeed implements SpanProcessor {
  readonly #store: TraceStore;
  readonly #origin: Origin;
  readonly #takes: (traceId: string) => boolean;
  #changed = new Set<ReadableSpan>();
  #places: (string | number)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param takes whether spans of a trace are wanted */
  constructor(store: TraceStore, origin: Origin = 'service', takes: (traceId: string) => boolean = () => true) {
    this.#store = store;
    this.#origin = origin;
    this.#takes = takes;
  }

  onStart(span: ReadableSpan): void {
    this.#changed.add(span);
    this.#timer ??= setTimeout(() => this.#drain(), GATHER_MILLIS).unref();
  }

  onEnd(span: ReadableSpan): void {
    this.onStart(span);
  }

  /** A record of the journal belongs to a trace. */
  noteRecord(traceId: string | undefined, position: number): void {
    if (traceId !== undefined) this.#places.push(traceId, position);
  }

  /** Nothing of a trace is to be seen. */
  hide(traceId: string): void {
    this.#store.refuse([traceId]);
  }

  /** Hands over all that changed so far, at once. */
  flush(): void {
    const [changed, places] = [this.#changed, this.#places];
    this.#changed = new Set();
    this.#places = [];
    for (const span of changed) this.#add(span);
    for (let i = 0; i < places.length; i += 2) this.#note(places[i] as string, places[i + 1] as number);
  }

  async forceFlush(): Promise<void> {
    this.flush();
  }

  async shutdown(): Promise<void> {
    clearTimeout(this.#timer);
    this.flush();
  }

  #drain(): void {
    this.#timer = undefined;
    if (this.#changed.size <= SLICE) {
      this.flush();
      return;
    }
    let left = SLICE;
    for (const span of this.#changed) {
      this.#changed.delete(span);
      this.#add(span);
      if (--left === 0) break;
    }
    this.#timer = setTimeout(() => this.#drain(), 0).unref();
  }

  #add(span: ReadableSpan): void {
    const { traceId, spanId } = span.spanContext();
    if (!this.#takes(traceId)) return;
    const parentId = span.parentSpanContext?.spanId ?? '';
    const end = span.ended ? span.endTime : undefined;
    this.#store.add({ traceId, spanId, parentId, end, source: span }, this.#origin);
  }

  #note(traceId: string, position: number): void {
    if (this.#takes(traceId)) this.#store.notePlace(traceId, position);
  }
}
