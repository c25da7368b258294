import type { HrTime } from './time.js';
import { formatUnixNano } from './time.js';

/** W3C trace context of the caller of a turn. Source: whoever started the agent's turn. */
export interface TraceContext {
  traceparent?: string;
  tracestate?: string;
  baggage?: string;
}

/** A hook's keyword arguments as the producer gave them. Every field is optional; `''` and `null` mean absent. */
export type Payload = Readonly<Record<string, unknown>>;

/**
 * One hook call as data: one JSON object a line (NDJSON, UTF-8). The format of recordings, of the socket, of the journal.
 */
export interface HookRecord {
  /** Hook name. An open set: unknown names pass through. */
  hook: string;
  /** Wall clock when the callback ran: nanoseconds since the Unix epoch, decimal digits. */
  time_unix_nano: string;
  /** Counter per producer, from 1. Gaps show loss. Absent: no check for duplicates. */
  seq?: number;
  /** Random id of one producer process; a restart is a new producer. */
  producer?: string;
  payload: Payload;
  /** Agent profile, when the producer runs several. */
  profile?: string;
  trace_context?: TraceContext;
}

/** What is known of a hook call beside its payload, as handed to the hub's caller side. Absent parts are stamped. */
export interface EmitMeta {
  /** Default: now. */
  time?: HrTime | undefined;
  /** Like `time`, as the record writes it; ignored when `time` is given. */
  timeUnixNano?: string | bigint | undefined;
  producer?: string | undefined;
  seq?: number | undefined;
  traceContext?: TraceContext | undefined;
  profile?: string | undefined;
}

/** What a subscriber gets beside the payload. Immutable; may be kept. */
export class HookMeta {
  readonly hook: string;
  readonly time: HrTime;
  readonly producer: string | undefined;
  readonly seq: number | undefined;
  readonly traceContext: TraceContext | undefined;
  readonly profile: string | undefined;

  constructor(
    hook: string,
    time: HrTime,
    producer?: string,
    seq?: number,
    traceContext?: TraceContext,
    profile?: string,
  ) {
    this.hook = hook;
    this.time = time;
    this.producer = producer;
    this.seq = seq;
    this.traceContext = traceContext;
    this.profile = profile;
  }

  /** Nanoseconds since the Unix epoch, decimal digits. */
  get timeUnixNano(): string {
    return formatUnixNano(this.time);
  }
}
