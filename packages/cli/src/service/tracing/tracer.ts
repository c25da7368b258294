import { type EmitMeta, HookMeta, type HookRecord, type Hub, parseUnixNano } from '@hermes-observer/core';
import {
  type Capture,
  ObserverTracerProvider,
  observerResource,
  type SavedAssembly,
  SpanBridge,
  type SpanRedactor,
  type Trace,
} from '@hermes-observer/otel';
import type { LogRecord } from '@hermes-observer/signals';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { TraceFollower } from '../ports.js';
import type { EvaluationCollector } from './evaluation-collector.js';
import { SpanCollector } from './span-collector.js';
import { EVERY, TraceTracks } from './trace-tracks.js';

type MakeEvaluations = (...args: ConstructorParameters<typeof EvaluationCollector>) => EvaluationCollector;

export interface TracerOptions {
  readonly hub: Hub;
  readonly capture: Capture;
  readonly agentName: string;
  readonly serviceName: string | undefined;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly follower?: TraceFollower | undefined;
  /** Measures spans; told of a recovery, in which spans end that were measured before. */
  readonly measuring?: ({ isMuted: boolean } & SpanProcessor) | undefined;
  /** Makes what keeps judgements of spans as log records. */
  readonly evaluations?: MakeEvaluations | undefined;
  readonly redactor?: SpanRedactor | undefined;
  /** Called before spans are collected. */
  readonly processors?: readonly SpanProcessor[] | undefined;
  /** Whether a record is of a session that was deleted. */
  readonly isDeleted?: ((record: HookRecord, position: number) => boolean) | undefined;
  readonly onError: (error: unknown) => void;
}

/** Records of the journal in their order to spans: hub, bridge, provider. A function of the journal alone. */
export class Tracer {
  readonly bridge: SpanBridge;
  readonly #hub: Hub;
  readonly #collector = new SpanCollector();
  readonly #measuring: TracerOptions['measuring'];
  readonly #evaluations: EvaluationCollector | undefined;
  readonly #follower: TraceFollower | undefined;
  readonly #isDeleted: TracerOptions['isDeleted'];
  #tracks = new TraceTracks(0);

  constructor({
    hub,
    capture,
    agentName,
    serviceName,
    resourceAttributes,
    follower,
    processors = [],
    measuring,
    evaluations,
    redactor,
    isDeleted,
    onError,
  }: TracerOptions) {
    this.#hub = hub;
    this.#measuring = measuring;
    this.#isDeleted = isDeleted;
    this.#follower = follower;
    const tracerProvider = new ObserverTracerProvider({
      resource: observerResource(serviceName, {
        ...resourceAttributes,
        ...(serviceName === undefined ? {} : { 'service.name': serviceName }),
      }),
      spanProcessors: [
        ...processors,
        ...(measuring === undefined ? [] : [measuring]),
        this.#collector,
        ...(follower === undefined ? [] : [follower]),
      ],
      onError,
    });
    this.bridge = new SpanBridge({ tracerProvider, capture, agentName, onError });
    this.bridge.attach(hub);
    this.#evaluations = evaluations?.(hub, this.bridge, capture, redactor !== undefined);
  }

  get tracks(): TraceTracks {
    return this.#tracks;
  }

  /** Spans that ended and were not taken. */
  get waiting(): number {
    return this.#collector.size;
  }

  /** Log records of judgements that were not taken. */
  takeEvaluations(): LogRecord[] {
    return this.#evaluations?.take() ?? [];
  }

  takeSpans(): ReadableSpan[] {
    return this.#collector.take();
  }

  /** Handles the record at the next position. */
  handle(record: HookRecord): void {
    const { watch } = this.bridge;
    watch.trace = undefined;
    if (record.hook !== '') this.#hub.emit(record.hook, record.payload, metaOf(record));
    const trace = watch.trace as Trace | undefined;
    this.#tell(record, trace, this.#tracks.next);
    this.#tracks.note(trace, closesSeveral(record));
  }

  #tell(record: HookRecord, trace: Trace | undefined, position: number): void {
    const follower = this.#follower;
    if (follower === undefined) return;
    const traceId = trace?.traceId;
    if (traceId !== undefined && this.#isDeleted?.(record, position) === true) follower.hide(traceId);
    else follower.noteRecord(traceId, position);
  }

  /** Begins at a position with nothing known. */
  startAt(position: number): void {
    this.#tracks = new TraceTracks(position);
  }

  /** Begins a recovery. Records from `from` on are noted where they are. */
  beginRestore(saved: SavedAssembly, from: number): void {
    this.#tracks = new TraceTracks(from);
    this.#mute(true);
    // Silence counts from the start on.
    this.bridge.watch.arrival = performance.now();
    this.bridge.beginRestore(saved);
    // Roots that are known by their ids alone.
    this.#tracks.beginBehind(this.bridge.watch.last);
  }

  /** Handles a record that was handled before, for what is still open of it. */
  handleAgain(record: HookRecord, position: number): number {
    const { watch } = this.bridge;
    const { hook, time_unix_nano: time, producer = '', seq, trace_context: context, profile } = record;
    watch.trace = undefined;
    this.bridge.handle(
      record.payload,
      new HookMeta(hook, parseUnixNano(time) ?? [0, 0], producer, seq, context, profile),
    );
    const trace = watch.trace as Trace | undefined;
    this.#tell(record, trace, position);
    if (position < this.#tracks.next) this.#tracks.noteHeld(trace, position);
    else {
      this.#tracks.skipTo(position);
      this.#tracks.note(trace, closesSeveral(record));
    }
    return closesSeveral(record) ? EVERY : (trace?.serial ?? 0);
  }

  #mute(isMuted: boolean): void {
    this.#collector.isMuted = isMuted;
    if (this.#measuring !== undefined) this.#measuring.isMuted = isMuted;
  }

  /** Ends a recovery: what comes next is the record at `position`. */
  endRestore(saved: SavedAssembly, position: number): void {
    this.bridge.endRestore(saved);
    this.#mute(false);
    this.#tracks.skipTo(position);
    this.#tracks.beginBehind(this.bridge.watch.last);
  }
}

/** All fields, also those that are absent: objects of one shape are read faster, and no others are made here. */
function metaOf({ time_unix_nano, producer, seq, trace_context, profile }: HookRecord): EmitMeta {
  return {
    time: parseUnixNano(time_unix_nano) ?? [0, 0],
    timeUnixNano: undefined,
    // A record without a producer is not the hub's own: an empty name says so.
    producer: producer ?? '',
    seq,
    traceContext: trace_context,
    profile,
  } as EmitMeta;
}

/** Whether a record acts on the traces of several turns. */
function closesSeveral({ hook, payload }: HookRecord): boolean {
  return hook === 'observer_closed' && (payload.scope === 'producer' || payload.scope === 'all');
}
