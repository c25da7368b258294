import type { HookRecord } from '@hermes-observer/core';
import type { ScopeMetrics } from '@opentelemetry/sdk-metrics';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base';

/** Lines of records as they came, and what they say: same length, same order. Neither is changed afterwards. */
export interface RecordBatch {
  /** UTF-8 of one JSON object each, without the newline. */
  readonly lines: readonly Uint8Array[];
  readonly records: readonly HookRecord[];
}

/** All records of a producer up to a number, among those given so far, are on disk. */
export interface Acknowledgement {
  readonly producer: string;
  readonly seq: number;
}

/** Where listeners hand records over. */
export interface IntakePort {
  /**
   * Resolves when the batch is on disk, with one entry for each producer in it that numbers its records.
   * @throws ObserverError `HO_STORE_FULL`, `HO_STORE_FAILED`, `HO_SERVICE_STOPPING`: nothing of the batch is acknowledged.
   */
  take(batch: RecordBatch): Promise<readonly Acknowledgement[]>;
  /** Somebody sends no more until what was taken is acknowledged: it does not wait for the time of its sync. */
  hurry(): void;
  /** True while no more records should be sent: too much waits for the disk, or the disk is full. */
  readonly isPaused: boolean;
  /** Told of each change of `isPaused`. Returns the function that ends it. */
  onPause(listener: (isPaused: boolean) => void): () => void;
}

/** Where listeners say who is connected: a producer that is, is not lost however long it is silent. */
export interface PresencePort {
  /** A connection carries records of this producer. Returns the function that says it has closed. */
  present(producer: string): () => void;
}

/** Where listeners tell of what never became a record. */
export interface RefusalPort {
  /** Lines that were no records. @param reason code of the error, such as `HO_RECORD_SHAPE`. */
  refused(lines: number, reason: string): void;
}

/** Where listeners put questions. */
export interface AskPort {
  /** The hub's answer; never rejects. */
  ask(hook: string, payload: unknown, options: AskOptions): Promise<Readonly<Record<string, unknown>>>;
}

export interface AskOptions {
  /** Milliseconds that whoever asks waits. */
  readonly timeoutMs: number;
  /** Aborts when whoever asked is gone. */
  readonly signal?: AbortSignal | undefined;
}

/** What a service's policy tells, and is told by commands. */
export interface PolicyPort {
  counts(): readonly Count[];
  /** For `check`, as JSON. */
  status(): Readonly<Record<string, unknown>>;
  /**
   * One operation of a command of this machine's user: `pending`, `get`, `decide`, `remembered`, `revoke`.
   * @throws ObserverError `HO_REQUEST`, `HO_POLICY_STORE`.
   */
  operate(operation: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

/** A monotonic count, by its label where it has one. */
export interface Count {
  /** Name as Prometheus wants it, without a prefix and without `_total`. */
  readonly name: string;
  readonly help: string;
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** @default 'counter' */
  readonly kind?: 'counter' | 'gauge';
}

/** One producer as the service knows it. */
export interface ProducerState {
  readonly producer: string;
  /** Payload of its last `observer_hello`. */
  readonly hello: Readonly<Record<string, unknown>> | undefined;
  /** Unix milliseconds. */
  readonly lastSeen: number;
  readonly records: number;
  readonly missing: number;
  /** Given up by the producer itself, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Hooks it sent records of. */
  readonly hooks: readonly string[];
}

/** One exporter as the service knows it. */
export interface ExporterState {
  readonly name: string;
  readonly sentSpans: number;
  readonly waitingBytes: number;
  readonly lostSpans: number;
  readonly lastError: string | undefined;
}

/** What the service tells of itself. */
export interface StatusPort {
  readonly isReady: boolean;
  /** Why it is not ready; `undefined` while it is. */
  readonly trouble?: string | undefined;
  counts(): readonly Count[];
  /** Metrics of agents; `undefined` where none are counted, or not all is known yet. */
  agentMetrics?(): ScopeMetrics | undefined;
  producers(): readonly ProducerState[];
  exporters(): readonly ExporterState[];
}

/** Who wants to see spans while they are made. It is called on the path of tracing, so it must be quick. */
export interface TraceFollower extends SpanProcessor {
  /** A record of the journal was traced; `traceId` is `undefined` for one that belongs to no trace. */
  noteRecord(traceId: string | undefined, position: number): void;
  /** A record of a deleted session was traced, since a recovery needs it: nobody is to see its trace. */
  hide(traceId: string): void;
}

/** The journal as it was kept, read while the service goes on. */
export interface HistoryPort {
  /** Position of the oldest record that is kept. */
  readonly oldestRecord: number;
  /** Records from here on are traced since the start; those before were traced by an earlier run. */
  readonly tracedFrom: number;
  /** Lines of records from one position up to before another. Those that are lost or erased are left out. */
  lines(from: number, to: number): AsyncGenerator<{ readonly position: number; readonly line: Buffer }, void, void>;
  /** Whether a record is of a session that was deleted: it may still be there. */
  isDeleted(record: HookRecord, position: number): boolean;
  /**
   * Takes the records of a session up to now out of the journal. Resolves when it is sure that they will be gone.
   * @param places positions that are known to be of it: first and count in turn
   * @param traces ids of its traces
   * @throws Error of the file system
   */
  deleteSession(session: string, places: readonly number[], traces: readonly string[]): Promise<void>;
  /** Ids of traces of deleted sessions, which may be made again as long as their records are there. */
  readonly deletedTraces: readonly string[];
}
