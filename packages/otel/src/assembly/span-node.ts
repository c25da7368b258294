import type { HrTime } from '@hermes-observer/core';
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

export type LinkRelation = 'previous_turn' | 'session_turn' | 'parent_session';

/** How a root span relates to a span of another trace. */
export interface NodeLink {
  readonly to: SpanNode;
  readonly relation: LinkRelation;
}

export type NodeKind = 'turn' | 'child' | 'request' | 'auxiliary' | 'tool' | 'approval' | 'human_input';

/** Where a span hangs and when it starts. */
export type NodePlace = readonly [
  invocation: Invocation,
  parent: SpanNode | undefined,
  start: HrTime,
  /** The record's own session, else the one of its invocation. */
  session: string | undefined,
  /** The record's own turn, else the one of its invocation. */
  turnId: string | undefined,
  /** How many spans of the same trace, kind and key came before. */
  ordinal: number,
];

/**
 * One span while it is assembled: where it hangs, when it starts, and what is known of it. Fields are declared and set
 * by the constructors: initialisers of class fields run as calls of their own, one a class, for every span.
 */
export abstract class SpanNode {
  declare readonly kind: NodeKind;
  declare readonly invocation: Invocation;
  /** Let go of when the span's invocation has ended: a chain of agents would keep all before it. */
  declare parent: SpanNode | undefined;
  declare readonly start: HrTime;
  declare readonly session: string | undefined;
  declare readonly turnId: string | undefined;
  declare readonly ordinal: number;
  /** The start was made up from a lone end. */
  declare startMissing: boolean;
  /** Set once; never before `start`. */
  declare end: HrTime | undefined;
  declare incomplete: IncompleteReason | undefined;
  /** Present if and only if the span's status is ERROR. */
  declare errorType: string | undefined;
  /** Neighbours in the invocation's list of open spans. */
  declare before: SpanNode | undefined;
  declare after: SpanNode | undefined;
  /** The sink's own. */
  declare span: unknown;
  declare context: unknown;

  constructor(
    kind: NodeKind,
    invocation: Invocation,
    parent: SpanNode | undefined,
    start: HrTime,
    session: string | undefined,
    turnId: string | undefined,
    ordinal: number,
  ) {
    this.kind = kind;
    this.invocation = invocation;
    this.parent = parent;
    this.start = start;
    this.session = session;
    this.turnId = turnId;
    this.ordinal = ordinal;
    this.startMissing = false;
    this.end = undefined;
    this.incomplete = undefined;
    this.errorType = undefined;
    this.before = undefined;
    this.after = undefined;
    this.span = undefined;
    this.context = undefined;
  }
}

export class TurnNode extends SpanNode {
  declare readonly kind: 'turn';
  turnKind: TurnKind = 'user';
  link: NodeLink | undefined = undefined;
  outcome: TurnOutcome = 'incomplete';
  exitReason: string | undefined = undefined;
  /** Of a root: records of its producer that never came while its trace was open. */
  missing = 0;

  constructor(...place: NodePlace) {
    super('turn', ...place);
  }
}

export class ChildNode extends SpanNode {
  declare readonly kind: 'child';
  agentId: string | undefined = undefined;
  role: string | undefined = undefined;
  parentSession: string | undefined = undefined;
  parentTurn: string | undefined = undefined;
  link: NodeLink | undefined = undefined;
  status: string | undefined = undefined;
  /** As of a turn. */
  missing = 0;

  constructor(...place: NodePlace) {
    super('child', ...place);
  }
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
  declare readonly kind: 'request' | 'auxiliary';
  declare readonly scope: TurnScope;
  declare readonly requestId: string | undefined;
  declare readonly model: string | undefined;
  declare readonly provider: string | undefined;
  declare auxTask: string | undefined;
  declare attempts: number;
  declare failedAttempts: number;
  /** Start of the running attempt; absent once its end was reported. */
  declare attemptStart: HrTime | undefined;
  declare failure: RequestFailure | undefined;
  /** Its usage is reported by another request as well and stands there. */
  declare usageElsewhere: boolean;
  /** An auxiliary request: the mixture-of-agents request that was open around it when it began. */
  declare within: RequestNode | undefined;

  constructor(
    kind: 'request' | 'auxiliary',
    invocation: Invocation,
    parent: SpanNode | undefined,
    start: HrTime,
    session: string | undefined,
    turnId: string | undefined,
    ordinal: number,
    scope: TurnScope,
    requestId: string | undefined,
    model: string | undefined,
    provider: string | undefined,
  ) {
    super(kind, invocation, parent, start, session, turnId, ordinal);
    this.scope = scope;
    this.requestId = requestId;
    this.model = model;
    this.provider = provider;
    this.auxTask = undefined;
    this.attempts = 1;
    this.failedAttempts = 0;
    this.attemptStart = start;
    this.failure = undefined;
    this.usageElsewhere = false;
    this.within = undefined;
  }
}

export class ToolNode extends SpanNode {
  declare readonly kind: 'tool';
  declare readonly scope: TurnScope;
  declare readonly name: string | undefined;
  declare readonly callId: string | undefined;
  declare status: ToolStatus | undefined;
  declare blockedBy: string | undefined;
  /** What `transform_tool_result` said; counts when nothing better has come by the time the parent ends. */
  declare transform: { readonly time: HrTime; readonly payload: Readonly<Record<string, unknown>> } | undefined;
  /** Calls made by the code this tool runs, still open. */
  declare nested: ToolNode[] | undefined;

  constructor(
    invocation: Invocation,
    parent: SpanNode | undefined,
    start: HrTime,
    session: string | undefined,
    turnId: string | undefined,
    ordinal: number,
    scope: TurnScope,
    name: string | undefined,
    callId: string | undefined,
  ) {
    super('tool', invocation, parent, start, session, turnId, ordinal);
    this.scope = scope;
    this.name = name;
    this.callId = callId;
    this.status = undefined;
    this.blockedBy = undefined;
    this.transform = undefined;
    this.nested = undefined;
  }
}

export class ApprovalNode extends SpanNode {
  declare readonly kind: 'approval';
  readonly scope: TurnScope;
  tool: ToolNode | undefined = undefined;
  callId: string | undefined = undefined;
  surface: string | undefined = undefined;
  patternKey: string | undefined = undefined;
  choice: string | undefined = undefined;
  decidedBy: string | undefined = undefined;

  constructor(scope: TurnScope, ...place: NodePlace) {
    super('approval', ...place);
    this.scope = scope;
  }
}

export class HumanInputNode extends SpanNode {
  declare readonly kind: 'human_input';
  inputKind: string | undefined = undefined;
  requestId: string | undefined = undefined;
  outcome: string | undefined = undefined;
  /** A question about an approval is written only when its wait is over and no approval covered it. */
  held = false;
  covered = false;
  request: Readonly<Record<string, unknown>> | undefined = undefined;

  constructor(...place: NodePlace) {
    super('human_input', ...place);
  }
}

/** Every kind of node; `kind` tells them apart. */
export type AnyNode = TurnNode | ChildNode | RequestNode | ToolNode | ApprovalNode | HumanInputNode;
