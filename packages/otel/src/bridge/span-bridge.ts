import {
  type HookMeta,
  type HookRecord,
  type HrTime,
  ObserverError,
  type Payload,
  type TraceContext,
} from '@hermes-observer/core';
import type { Attributes, Context, TracerProvider } from '@opentelemetry/api';
import { Assembler, type SpanIds } from '../assembly/assembler.js';
import type { ClockLimits, ClosedDecision } from '../assembly/clock.js';
import type { AssemblyLimits } from '../assembly/limits.js';
import type { SavedAssembly } from '../assembly/saved-assembly.js';
import type { IncompleteReason } from '../assembly/span-node.js';
import type { AssemblyStats } from '../assembly/stats.js';
import type { Trace } from '../assembly/trace.js';
import type { TraceWatch } from '../assembly/trace-watch.js';
import { CAPTURE_MODES, type Capture } from '../attributes/capture.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { contextBelow, SpanWriter } from '../spans/span-writer.js';
import { SCOPE_NAME, SCOPE_SCHEMA_URL, SCOPE_VERSION } from './scope.js';

export interface SpanBridgeOptions {
  /** Where spans are written. Ours takes derived ids; any other of API 1.9 to 1.10 makes its own. */
  readonly tracerProvider: TracerProvider;
  /** Name of the agent whose turns these are. @default 'hermes' */
  readonly agentName?: string;
  /** How much content spans carry. @default 'none' */
  readonly capture?: Capture;
  /** How a turn relates to the span its caller was in. @default 'parent' */
  readonly caller?: 'parent' | 'link';
  readonly limits?: Partial<AssemblyLimits>;
  /** The context this program was called in, such as `TRACEPARENT` of its environment: its first turn hangs under it. */
  readonly ownCaller?: TraceContext;
  /** Attributes that every span starts with, beside its own. */
  readonly attributes?: Attributes;
  /** Told of what a tracer or processor threw; it never reaches the agent. */
  readonly onError?: (error: unknown) => void;
}

/** Part of the hub that the bridge needs: `Hub` of `@hermes-observer/core` is one. */
export interface HookSource {
  on(hook: '*', callback: (payload: Payload, meta: HookMeta) => void): () => void;
}

/** Hook calls in, spans out. Its methods never throw. */
export class SpanBridge {
  readonly #assembler: Assembler;
  readonly #writer: SpanWriter;

  /** @throws ObserverError `HO_OPTION` for an unknown `capture`: a slip there must not let content out. */
  constructor(options: SpanBridgeOptions) {
    const { tracerProvider, agentName = 'hermes', capture = 'none', caller = 'parent', onError } = options;
    if (!CAPTURE_MODES.includes(capture)) {
      throw new ObserverError('HO_OPTION', `capture is ${JSON.stringify(capture)}; use none, redacted or full.`);
    }
    const writer = new SpanWriter({
      tracer: tracerProvider.getTracer(SCOPE_NAME, SCOPE_VERSION, { schemaUrl: SCOPE_SCHEMA_URL }),
      derivedIds: tracerProvider instanceof ObserverTracerProvider,
      agentName,
      capture,
      caller,
      ...(options.attributes === undefined ? {} : { attributes: options.attributes }),
      ...(onError === undefined ? {} : { onError }),
    });
    this.#writer = writer;
    this.#assembler = new Assembler(writer, options.limits, options.ownCaller);
  }

  /** Subscribes to every hook of a hub; returns the unsubscribe. */
  attach(source: HookSource): () => void {
    return source.on('*', (payload, meta) => this.#assembler.handle(payload, meta));
  }

  /** Takes one hook call; `meta.hook` names it. */
  handle(payload: Payload, meta: HookMeta): void {
    this.#assembler.handle(payload, meta);
  }

  /** Takes one record of a recording. */
  handleRecord(record: HookRecord): void {
    this.#assembler.handleRecord(record);
  }

  /** Ends all open spans, as at the end of a replay or at shutdown. */
  closeAll(reason: IncompleteReason = 'shutdown'): void {
    this.#assembler.closeAll(reason);
  }

  /** What the clock would decide now, as payloads of `observer_closed`; give them to the hub, and they are recorded. */
  due(now: HrTime, limits?: ClockLimits): ClosedDecision[] {
    return this.#assembler.due(now, limits);
  }

  /** The same by when records came in, as `watch.arrival` said: for who takes records that may come late. */
  dueByArrival(arrival: number, limits?: ClockLimits): ClosedDecision[] {
    return this.#assembler.dueByArrival(arrival, limits);
  }

  /** Which trace the newest record belongs to, and when records come in. */
  get watch(): TraceWatch {
    return this.#assembler.watch;
  }

  /** What a recovery needs beside the records of the traces for which `isReplayed`. */
  save(isReplayed: (trace: Trace) => boolean): SavedAssembly {
    return this.#assembler.save(isReplayed);
  }

  /** Begins a recovery in a new bridge: the records of the replayed traces are to be handled next, in their order. */
  beginRestore(saved: SavedAssembly): void {
    this.#assembler.beginRestore(saved);
  }

  /** Ends it: all is as it was when it was saved. Spans that ended in between had ended before. */
  endRestore(saved: SavedAssembly): void {
    this.#assembler.endRestore(saved);
  }

  /**
   * The OpenTelemetry context in which a span is the active one: for outgoing headers, child processes, and spans of
   * other instrumentation. `undefined` when no such span is known.
   */
  contextOf(ids: SpanIds): Context | undefined {
    const node = this.#assembler.find(ids);
    return node?.span === undefined ? undefined : contextBelow(node);
  }

  get stats(): Readonly<AssemblyStats> {
    return this.#assembler.stats;
  }

  /** Whether any root span was recording (sampled, by a provider that is no no-op); `undefined` before the first one. */
  get recording(): boolean | undefined {
    return this.#writer.recording;
  }

  /** Producers of what is open. */
  get openProducers(): ReadonlySet<string> {
    return this.#assembler.openProducers;
  }

  get openSpans(): number {
    return this.#assembler.openSpans;
  }

  get openTraces(): number {
    return this.#assembler.openTraces;
  }
}
