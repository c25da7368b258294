import type { HrTime, TraceContext } from '@hermes-observer/core';
import type { Invocation, TurnScope } from './invocation.js';

/** Why we closed a span that nothing else ended. */
export type IncompleteReason =
  | 'turn_ended'
  | 'next_request'
  | 'next_turn'
  | 'session_finalized'
  | 'subagent_stopped'
  | 'idle_timeout'
  | 'shutdown'
  | 'producer_lost';

export type TurnKind = 'user' | 'background_review' | 'background';
export type TurnOutcome = 'completed' | 'failed' | 'interrupted' | 'incomplete';
export type ToolStatus = 'ok' | 'error' | 'blocked' | 'cancelled' | 'timeout' | 'unknown';

/** How a root span relates to a span of another trace. */
export interface NodeLink {
  readonly to: SpanNode;
  readonly relation: 'previous_turn' | 'session_turn' | 'parent_session';
}

/** One span while it is assembled: where it hangs, when it starts, and what is known of it. */
export abstract class SpanNode {
  abstract readonly kind: 'turn' | 'child' | 'request' | 'auxiliary' | 'tool' | 'approval' | 'human_input';
  readonly invocation: Invocation;
  readonly parent: SpanNode | undefined;
  readonly start: HrTime;
  /** The record's own session, else the one of its invocation. */
  readonly session: string | undefined;
  /** The record's own turn, else the one of its invocation. */
  readonly turnId: string | undefined;
  /** How many spans of the same trace, kind and key came before. */
  readonly ordinal: number;
  /** The start was made up from a lone end. */
  startMissing = false;
  /** Set once; never before `start`. */
  end: HrTime | undefined = undefined;
  incomplete: IncompleteReason | undefined = undefined;
  /** Present if and only if the span's status is ERROR. */
  errorType: string | undefined = undefined;
  /** Neighbours in the invocation's list of open spans. */
  before: SpanNode | undefined = undefined;
  after: SpanNode | undefined = undefined;
  /** The sink's own. */
  span: unknown = undefined;
  context: unknown = undefined;

  constructor(
    invocation: Invocation,
    parent: SpanNode | undefined,
    start: HrTime,
    session: string | undefined,
    turnId: string | undefined,
    ordinal: number,
  ) {
    this.invocation = invocation;
    this.parent = parent;
    this.start = start;
    this.session = session;
    this.turnId = turnId;
    this.ordinal = ordinal;
  }
}

export class TurnNode extends SpanNode {
  readonly kind = 'turn';
  turnKind: TurnKind = 'user';
  link: NodeLink | undefined = undefined;
  traceContext: TraceContext | undefined = undefined;
  outcome: TurnOutcome = 'incomplete';
  exitReason: string | undefined = undefined;
}

export class ChildNode extends SpanNode {
  readonly kind = 'child';
  agentId: string | undefined = undefined;
  role: string | undefined = undefined;
  parentSession: string | undefined = undefined;
  parentTurn: string | undefined = undefined;
  link: NodeLink | undefined = undefined;
  status: string | undefined = undefined;
}

/** The last failure of a request, until an answer or another attempt replaces it. */
export interface RequestFailure {
  readonly time: HrTime;
  readonly type: string;
  readonly statusCode: number | undefined;
  readonly message: string | undefined;
}

/** A model request of the turn, or one of the agent's own auxiliary requests: alike but for who sends them. */
export class RequestNode extends SpanNode {
  readonly kind: 'request' | 'auxiliary';
  requestId: string | undefined = undefined;
  model: string | undefined = undefined;
  provider: string | undefined = undefined;
  auxTask: string | undefined = undefined;
  attempts = 1;
  failedAttempts = 0;
  /** Start of the running attempt; absent once its end was reported. */
  attemptStart: HrTime | undefined = undefined;
  failure: RequestFailure | undefined = undefined;
  /** Its usage is reported by another request as well and stands there. */
  usageElsewhere = false;
  /** An auxiliary request: the mixture-of-agents request that was open around it when it began. */
  within: RequestNode | undefined = undefined;
  scope: TurnScope | undefined = undefined;

  constructor(
    kind: 'request' | 'auxiliary',
    invocation: Invocation,
    parent: SpanNode | undefined,
    start: HrTime,
    session: string | undefined,
    turnId: string | undefined,
    ordinal: number,
  ) {
    super(invocation, parent, start, session, turnId, ordinal);
    this.kind = kind;
  }
}

export class ToolNode extends SpanNode {
  readonly kind = 'tool';
  scope: TurnScope | undefined = undefined;
  name: string | undefined = undefined;
  callId: string | undefined = undefined;
  status: ToolStatus | undefined = undefined;
  blockedBy: string | undefined = undefined;
  /** What `transform_tool_result` said; counts when nothing better has come by the time the parent ends. */
  transform: { readonly time: HrTime; readonly payload: Readonly<Record<string, unknown>> } | undefined = undefined;
  /** Calls made by the code this tool runs, still open. */
  nested: ToolNode[] | undefined = undefined;
}

export class ApprovalNode extends SpanNode {
  readonly kind = 'approval';
  tool: ToolNode | undefined = undefined;
  callId: string | undefined = undefined;
  surface: string | undefined = undefined;
  patternKey: string | undefined = undefined;
  scope: TurnScope | undefined = undefined;
  choice: string | undefined = undefined;
  decidedBy: string | undefined = undefined;
}

export class HumanInputNode extends SpanNode {
  readonly kind = 'human_input';
  inputKind: string | undefined = undefined;
  requestId: string | undefined = undefined;
  outcome: string | undefined = undefined;
  /** A question about an approval is written only when its wait is over and no approval covered it. */
  held = false;
  covered = false;
  request: Readonly<Record<string, unknown>> | undefined = undefined;
}

/** Every kind of node; `kind` tells them apart. */
export type AnyNode = TurnNode | ChildNode | RequestNode | ToolNode | ApprovalNode | HumanInputNode;
