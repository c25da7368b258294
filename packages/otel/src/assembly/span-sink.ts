import type { HrTime, Payload } from '@hermes-observer/core';
import type { AnyNode, RequestFailure, RequestNode, ToolNode } from './span-node.js';

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
}
