import type { HrTime, Payload } from '@hermes-observer/core';
import type { AnyNode, NodeLink, RequestNode, ToolNode } from './span-node.js';
import type { AttemptFailure, SpanSink } from './span-sink.js';

/** Keeps what assembly told it, and notes each breach of the contract that `SpanSink` states. */
export class RecordingSink implements SpanSink {
  readonly started: AnyNode[] = [];
  readonly ended: AnyNode[] = [];
  readonly starts = new Map<AnyNode, Payload>();
  readonly ends = new Map<AnyNode, Payload | undefined>();
  /** The link each root had when it started; nobody needs it later. */
  readonly links = new Map<AnyNode, NodeLink | undefined>();
  readonly updates: { node: AnyNode; payload: Payload }[] = [];
  readonly failures: { node: RequestNode; failure: AttemptFailure }[] = [];
  readonly decisions: { node: ToolNode; time: HrTime; payload: Payload }[] = [];
  readonly breaches: string[] = [];

  start(node: AnyNode, payload: Payload): void {
    if (this.starts.has(node)) this.breaches.push(`${node.kind} started twice`);
    if (node.parent !== undefined && !this.starts.has(node.parent as AnyNode)) {
      this.breaches.push(`${node.kind} started before its parent`);
    }
    this.starts.set(node, payload);
    if (node.kind === 'turn' || node.kind === 'child') this.links.set(node, node.link);
    this.started.push(node);
  }

  update(node: AnyNode, payload: Payload): void {
    this.#mustBeOpen(node, 'updated');
    this.updates.push({ node, payload });
  }

  attemptFailed(node: RequestNode, failure: AttemptFailure): void {
    this.#mustBeOpen(node, 'told of a failed attempt');
    this.failures.push({ node, failure });
  }

  policyDecision(node: ToolNode, time: HrTime, payload: Payload): void {
    this.#mustBeOpen(node, 'told of a decision');
    this.decisions.push({ node, time, payload });
  }

  end(node: AnyNode, payload: Payload | undefined): void {
    this.#mustBeOpen(node, 'ended');
    if (node.end === undefined) this.breaches.push(`${node.kind} ended without an end time`);
    this.ends.set(node, payload);
    this.ended.push(node);
  }

  #mustBeOpen(node: AnyNode, what: string): void {
    if (!this.starts.has(node)) this.breaches.push(`${node.kind} ${what} before its start`);
    if (this.ends.has(node)) this.breaches.push(`${node.kind} ${what} after its end`);
  }
}
