import { compareTime } from '@hermes-observer/core';
import { LinkIndex } from './link-index.js';
import type { SpanInput } from './span-source.js';
import type { StoredSpan } from './stored-span.js';
import { type Origin, Trace } from './trace.js';
import { isUnderWay } from './trace-row.js';

export interface StoreLimits {
  /** @default 100000 */
  readonly spans?: number;
  /** As estimated. @default 128 MiB */
  readonly bytes?: number;
}

export interface StoreListener {
  changed(trace: Trace, span: StoredSpan): void;
  gone(trace: Trace): void;
}

const MOST_SPANS = 100_000;
const MOST_BYTES = 128 * 2 ** 20;
/** So much is left after an eviction, so that the next one is some time away. */
const EVICT_TO = 0.95;
/** Traces whose going is remembered. */
const MOST_GONE = 1_000;
const MOST_UNWANTED = 10_000;
/** What a trace takes beside its spans. */
const TRACE_BYTES = 1_200;

/** Traces in memory, open and ended, up to a bound. Ended ones make room, whole, the oldest first. */
export class TraceStore {
  readonly #limits: Required<StoreLimits>;
  readonly #traces = new Map<string, Trace>();
  readonly #listeners = new Set<StoreListener>();
  /** Rising by start, once asked for. */
  #order: Trace[] = [];
  #isSorted = true;
  #last: Trace | undefined;
  #version = 0;
  #spans = 0;
  #bytes = 0;
  /** Traces that went lately, and the version since when. */
  #gone: { readonly version: number; readonly id: string }[] = [];
  /** All that went since this version are in there. */
  #goneFrom = 0;
  /** Ids of those that somebody wanted gone: what comes late of them is not taken. */
  readonly #unwanted = new Set<string>();
  readonly #links = new LinkIndex();
  readonly counts = { evictedTraces: 0, evictedSpans: 0, leftOutSpans: 0, forgottenTraces: 0 };

  constructor({ spans = MOST_SPANS, bytes = MOST_BYTES }: StoreLimits = {}) {
    this.#limits = { spans, bytes };
  }

  get version(): number {
    return this.#version;
  }

  get spans(): number {
    return this.#spans;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get traces(): number {
    return this.#traces.size;
  }

  /** Whether old traces would find room without others having to go. */
  get hasRoom(): boolean {
    return this.#spans < this.#limits.spans * EVICT_TO && this.#bytes < this.#limits.bytes * EVICT_TO;
  }

  find(id: string): Trace | undefined {
    if (this.#last?.id === id) return this.#last;
    const trace = this.#traces.get(id);
    if (trace !== undefined) this.#last = trace;
    return trace;
  }

  /** All of them, by start, the oldest first. Not to be kept or changed. */
  all(): readonly Trace[] {
    if (!this.#isSorted) this.#order.sort((a, b) => compareTime(a.base, b.base));
    this.#isSorted = true;
    return this.#order;
  }

  /** Adds a span, or what came later of a known one. @returns whether there was room for it */
  add(input: SpanInput, origin: Origin): boolean {
    if (this.#unwanted.has(input.traceId)) return true;
    const known = this.find(input.traceId);
    const before = input.spanId === '' ? undefined : known?.find(input.spanId);
    // What the service's own spans go on with is taken in any case.
    const isToFit = before === undefined || (origin === 'received' && this.#bytes >= this.#limits.bytes);
    if (isToFit && !this.#makeRoom(known)) {
      this.counts.leftOutSpans++;
      if (known !== undefined) known.leftOut++;
      return false;
    }
    const trace = known ?? this.#begin(input.traceId, origin);
    // What the service goes on with is not history any more.
    if (origin === 'service') trace.origin = origin;
    const moves = trace.baseMoves;
    const { span, grown } = trace.put(input, before);
    if (before === undefined) this.#spans++;
    this.#bytes += grown;
    span.version = trace.version = ++this.#version;
    if (moves !== trace.baseMoves) this.#isSorted = false;
    for (const listener of this.#listeners) listener.changed(trace, span);
    if (span === trace.root && span.source.links.length > 0) this.#noteLinks(trace);
    return true;
  }

  /** Traces whose roots link to a trace. */
  linkedTo(id: string): readonly Trace[] {
    return this.#links.to(id);
  }

  /** Who looks at what it links to is told that more came of it. */
  #noteLinks(trace: Trace): void {
    for (const id of this.#links.note(trace)) {
      const target = this.#traces.get(id);
      if (target?.root === undefined) continue;
      target.version = target.root.version = ++this.#version;
      for (const listener of this.#listeners) listener.changed(target, target.root);
    }
  }

  /** Traces that went after a version, or `undefined` where that is too long ago. */
  goneSince(version: number): string[] | undefined {
    if (version < this.#goneFrom) return undefined;
    return this.#gone.filter((gone) => gone.version > version).map(({ id }) => id);
  }

  /** Notes that a record of the journal belongs to a trace. */
  notePlace(traceId: string, position: number): void {
    this.find(traceId)?.notePlace(position);
  }

  /** Takes traces out because somebody wants them gone. */
  forget(traces: readonly Trace[]): void {
    this.counts.forgottenTraces += traces.length;
    this.refuse(traces.map(({ id }) => id));
  }

  /** Takes nothing of these traces from now on, and what it has of them out: after a start the service may have been faster. */
  refuse(ids: readonly string[]): void {
    for (const id of ids) this.#unwanted.add(id);
    for (const id of this.#unwanted) {
      if (this.#unwanted.size <= MOST_UNWANTED) break;
      this.#unwanted.delete(id);
    }
    const here = ids.flatMap((id) => this.#traces.get(id) ?? []);
    if (here.length > 0) this.#remove(new Set(here));
  }

  /** Tells of each change at once. Returns the function that ends it. */
  subscribe(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #begin(id: string, origin: Origin): Trace {
    const trace = new Trace(id, origin);
    this.#traces.set(id, trace);
    this.#order.push(trace);
    this.#isSorted = false;
    this.#bytes += TRACE_BYTES;
    this.#last = trace;
    return trace;
  }

  /** `keep` is what the room is for. @returns whether there is some */
  #makeRoom(keep: Trace | undefined): boolean {
    const { spans, bytes } = this.#limits;
    if (this.#spans < spans && this.#bytes < bytes) return true;
    const going = new Set<Trace>();
    let [restSpans, restBytes] = [this.#spans, this.#bytes];
    // Spans of another program that never end would else keep their room for ever.
    for (const isSettled of [isEnded, isFromElsewhere]) {
      for (const trace of this.all()) {
        if (restSpans < spans * EVICT_TO && restBytes < bytes * EVICT_TO) break;
        if (trace === keep || going.has(trace) || !isSettled(trace)) continue;
        going.add(trace);
        restSpans -= trace.spans.length;
        restBytes -= trace.bytes + TRACE_BYTES;
      }
    }
    if (going.size === 0) return false;
    this.counts.evictedTraces += going.size;
    this.counts.evictedSpans += this.#spans - restSpans;
    this.#remove(going);
    return this.#spans < spans && this.#bytes < bytes;
  }

  #remove(going: ReadonlySet<Trace>): void {
    for (const trace of going) {
      if (!this.#traces.delete(trace.id)) continue;
      this.#spans -= trace.spans.length;
      this.#bytes -= trace.bytes + TRACE_BYTES;
      this.#links.remove(trace);
    }
    this.#order = this.#order.filter((trace) => !going.has(trace));
    this.#last = undefined;
    this.#version++;
    for (const { id } of going) this.#gone.push({ version: this.#version, id });
    const beyond = this.#gone.splice(0, Math.max(0, this.#gone.length - MOST_GONE));
    this.#goneFrom = beyond.at(-1)?.version ?? this.#goneFrom;
    for (const trace of going) for (const listener of this.#listeners) listener.gone(trace);
  }
}

const isEnded = (trace: Trace) => trace.running === 0 && !isUnderWay(trace);
const isFromElsewhere = ({ origin }: Trace) => origin === 'received';
