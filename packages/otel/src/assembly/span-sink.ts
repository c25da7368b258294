import type { HrTime, Payload } from '@hermes-observer/core';
import type { AnyNode, RequestFailure, RequestNode, SpanNode, ToolNode } from './span-node.js';

/** One failed attempt of a request, as its event shows it. */
export interface AttemptFailure extends RequestFailure {
  /** From 1. */
  readonly attempt: number;
  readonly retryReason: string | undefined;
  /** From this attempt's start record to its error record, in milliseconds; absent when the start was not seen. */
  readonly durationMillis: number | undefined;
}

/**
 * Where assembled spans go. Assembly calls it in the order of the records: a parent starts before its children, a node
 * starts once and ends once. Implementations must not throw and may keep their own things in `node.span` and
 * `node.context`.
 */
export interface SpanSink {
  start(node: AnyNode, payload: Payload): void;
  /** A record that adds to an open span without ending it. */
  update(node: AnyNode, payload: Payload): void;
  attemptFailed(node: RequestNode, failure: AttemptFailure): void;
  policyDecision(node: ToolNode, time: HrTime, payload: Payload): void;
  /** `node.end` is set. `payload` is that of the record that ended it, if one did. */
  end(node: AnyNode, payload: Payload | undefined): void;
  /** What other spans need of a node's span to hang below it or link to it, as JSON can hold it. */
  save?(node: SpanNode): unknown;
  /** Tells spans of a trace apart, also after a recovery. */
  idOf?(node: SpanNode): string;
  /** What `node.span` is to be, of what `save` gave. */
  restore?(saved: unknown): unknown;
}
