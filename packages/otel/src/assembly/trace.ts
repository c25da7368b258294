import type { HrTime, TraceContext } from '@hermes-observer/core';
import type { Invocation } from './invocation.js';
import type { LinkRelation, TurnKind } from './span-node.js';
import { TraceWatch } from './trace-watch.js';

const NONE: ReadonlySet<Invocation> = new Set();

/** What of a root span does not follow from the records of its own trace alone. */
export interface RootContext {
  readonly ordinal: number;
  readonly missingBefore: number;
  readonly turnKind: TurnKind | undefined;
  /** The span it links to, as the sink saved it. */
  readonly link: { readonly relation: LinkRelation; readonly to: unknown } | undefined;
}

/** One trace: a root invocation and the children that hang below it. */
export class Trace {
  /** What the trace id is derived from: `turn\0…`, `child\0…` or `record\0…`. */
  readonly source: string;
  readonly producer: string;
  /** The caller's context, which the root hangs under; then `source` gives no trace id. */
  readonly caller: TraceContext | undefined;
  /** Those that are open or have open spans, in the order they began. @internal */
  invocations: ReadonlySet<Invocation> = NONE;
  /** Time of the last record that belongs to any of its invocations. */
  last: HrTime;
  openSpans = 0;
  /** Had a record since the limit on open traces last looked at it. */
  active = true;
  /** The sink's own: the trace id once known. */
  traceId: string | undefined = undefined;
  /** @internal */
  root: RootContext | undefined = undefined;
  /** Numbers of its producer that were known to be missing when it began. */
  missingBefore = 0;
  /** Tells traces of one assembler apart, from 1. */
  readonly serial: number;
  readonly watch: TraceWatch;
  /** When its last record came in, as `TraceWatch.arrival`. */
  heard: number;

  constructor(
    source: string,
    producer: string,
    start: HrTime,
    caller: TraceContext | undefined,
    watch = new TraceWatch(),
  ) {
    this.watch = watch;
    this.serial = watch.nextSerial();
    this.heard = watch.arrival;
    watch.trace = this;
    this.source = source;
    this.producer = producer;
    this.last = start;
    this.caller = caller;
  }

  /** @internal */
  addOpen(invocation: Invocation): void {
    if (this.invocations === NONE) this.invocations = new Set();
    (this.invocations as Set<Invocation>).add(invocation);
  }

  /** A closed trace is kept for late records, and its set would be a good part of that. @internal */
  removeOpen(invocation: Invocation): void {
    (this.invocations as Set<Invocation>).delete(invocation);
    if (this.invocations.size === 0) this.invocations = NONE;
  }
}
