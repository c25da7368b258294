import type { HrTime } from '@hermes-observer/core';
import { flagsOf } from './span-facts.js';
import { type ViewKind, viewKindOf } from './span-kind.js';
import type { SpanInput, SpanSource } from './span-source.js';
import { spanWeight } from './span-weight.js';

const RUNNING: HrTime = [0, -1];

/** A span of a trace in the store. */
export class StoredSpan {
  readonly id: string;
  parentId: string;
  source: SpanSource;
  kind: ViewKind;
  /** Of `FLAG`, without `background`. */
  flags: number;
  /** Of its end: numbers are less to be moved in memory than a list of them. */
  #seconds = 0;
  #nanos = -1;
  isBroken: boolean;
  bytes: number;
  /** Version of the store at its last change. */
  version = 0;
  /** Place in the order in which its trace was last given out; -1 before. */
  index = -1;

  constructor(input: SpanInput) {
    this.id = input.spanId;
    this.parentId = input.parentId;
    this.source = input.source;
    this.end = input.end;
    this.isBroken = input.isBroken === true;
    this.kind = viewKindOf(input.source, input.parentId !== '');
    this.flags = flagsOf(input.source, this.kind, input.end === undefined);
    this.bytes = spanWeight(input.source);
  }

  get isRunning(): boolean {
    return this.#nanos === -1;
  }

  /** `undefined` while it runs. */
  get end(): HrTime | undefined {
    return this.#nanos === -1 ? undefined : [this.#seconds, this.#nanos];
  }

  set end(time: HrTime | undefined) {
    const { 0: seconds, 1: nanos } = time ?? RUNNING;
    this.#seconds = seconds;
    this.#nanos = nanos;
  }
}
