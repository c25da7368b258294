import type { HrTime } from '@hermes-observer/core';
import type { CallQueue } from './call-queue.js';
import type { KeyedSpans } from './keyed-spans.js';
import type {
  ApprovalNode,
  ChildNode,
  HumanInputNode,
  RequestNode,
  SpanNode,
  ToolNode,
  TurnKind,
  TurnNode,
} from './span-node.js';
import type { Trace } from './trace.js';

const isLater = (a: HrTime, b: HrTime) => a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);

/** Lists that have one entry in nearly all cases are made anew when they grow: a push makes room for 16 more. */
const NONE: readonly string[] = [];

/** Turns of one child whose keys are kept; real agents run one or two. */
export const MOST_TURNS_OF_CHILD = 256;

/** Tool calls of one name that carry no call id: they end oldest first. */
export interface NamedCalls {
  started: number;
  readonly open: CallQueue<ToolNode>;
  /** Those of which no transform was told yet. */
  readonly untold: CallQueue<ToolNode>;
}

/** Approvals of one key; they end oldest first. */
export interface KeyedApprovals {
  started: number;
  readonly open: CallQueue<ApprovalNode>;
}

/** The spans of one turn id, by key. A key maps to the newest span that used it, open or ended. */
export class TurnScope {
  readonly id: string;
  /** What of a child is bound to none of its turns; then `id` is the child's own. */
  readonly ofChild: boolean;
  requests: KeyedSpans<RequestNode> | undefined = undefined;
  tools: KeyedSpans<ToolNode> | undefined = undefined;
  named: Map<string, NamedCalls> | undefined = undefined;
  approvals: Map<string, KeyedApprovals> | undefined = undefined;
  /** The newest approval of each tool call. */
  asked: KeyedSpans<ApprovalNode> | undefined = undefined;
  auxiliary: KeyedSpans<RequestNode> | undefined = undefined;
  /** Spans that lists let go of had; a list of a key that may be one of theirs counts on from here. */
  forgottenStarts = 0;
  /** Of a producer's spans without ids: how many of those had no number of their own either. */
  strays = 0;
  /** Of a producer: questions that name nobody. */
  humanInputs: KeyedSpans<HumanInputNode> | undefined = undefined;
  /** The request that began last; one that is still open when the next begins was given up. */
  openRequest: RequestNode | undefined = undefined;
  /** The sink's own: hash states that all its span ids continue from. */
  idSeeds: unknown = undefined;

  constructor(id: string, ofChild = false) {
    this.id = id;
    this.ofChild = ofChild;
  }

  /** Lets go of ended spans, and keeps their keys. */
  release(): void {
    this.requests?.release();
    this.tools?.release();
    this.auxiliary?.release();
    this.asked?.release();
    for (const { open, untold } of this.named?.values() ?? []) {
      open.sweep();
      untold.sweep();
    }
    for (const { open } of this.approvals?.values() ?? []) open.sweep();
    if (this.openRequest?.end !== undefined) this.openRequest = undefined;
  }

  expire(): void {
    this.requests = undefined;
    this.tools = undefined;
    this.named = undefined;
    this.approvals = undefined;
    this.asked = undefined;
    this.auxiliary = undefined;
    this.openRequest = undefined;
    this.idSeeds = undefined;
  }
}

/**
 * Something that does work of its own and so owns spans: a turn, a child agent, or a stray record that names neither.
 * Open spans are a linked list through the nodes, in order of start.
 */
export class Invocation {
  readonly kind: 'turn' | 'child' | 'stray';
  readonly id: string;
  readonly trace: Trace;
  readonly producer: string;
  /** Its `invoke_agent` span; a stray record has none. */
  node: TurnNode | ChildNode | undefined = undefined;
  turnKind: TurnKind = 'user';
  /** Agent profile, as the first record named it. */
  profile: string | undefined = undefined;
  /** Every session its own records carried, the first one first. */
  sessions: readonly string[] = NONE;
  task: string | undefined = undefined;
  last: HrTime;
  /** When its last record came in, as `TraceWatch.arrival`. */
  heard: number;
  /** What will close it if nothing more of it comes. */
  waits: 'next_turn' | 'session_finalized' | undefined = undefined;
  /** `error.type` when its last record, transforms aside, is a failed request. */
  diedOf: string | undefined = undefined;
  /** The agent said of that failure that it will not try again. */
  diedForGood = false;
  closedAt: HrTime | undefined = undefined;
  /** Its keys are forgotten: late records make nothing any more. */
  expired = false;
  apiCalls = 0;
  /** Open calls of tools that other work runs inside, oldest first; ended ones may linger at the end. */
  readonly containers: ToolNode[] = [];
  /** Children that hang below it and are open. */
  openChildren = 0;
  toolCalls = 0;
  /** The newest request to a mixture of agents. */
  openMoaRequest: RequestNode | undefined = undefined;
  humanInputs: KeyedSpans<HumanInputNode> | undefined = undefined;
  /** Ids of child turns that began and have not ended. */
  runningTurns: Set<string> | undefined = undefined;
  lastTurnEnd: HrTime | undefined = undefined;
  /** Turn ids whose records belong here: the turn's own, or those of a child. */
  turnIds: readonly string[] = NONE;
  /** The keys of its own id: all of a turn; of a child, what is not bound to one of its turns. */
  readonly base: TurnScope;
  #childScopes: Map<string, TurnScope> | undefined = undefined;
  #newestScope: TurnScope;
  firstOpen: SpanNode | undefined = undefined;
  lastOpen: SpanNode | undefined = undefined;
  openSpans = 0;

  constructor(kind: 'turn' | 'child' | 'stray', id: string, trace: Trace, producer: string, start: HrTime) {
    this.kind = kind;
    this.id = id;
    this.trace = trace;
    this.producer = producer;
    this.last = start;
    this.heard = trace.watch.arrival;
    this.base = new TurnScope(id, kind === 'child');
    this.#newestScope = this.base;
  }

  /** The keys of a turn id: a turn has one set, a child one for each turn it ran. */
  scope(turnId: string | undefined): TurnScope {
    if (this.kind !== 'child') return this.base;
    if (turnId === undefined || turnId === this.#newestScope.id) return this.#newestScope;
    this.#childScopes ??= new Map();
    let scope = this.#childScopes.get(turnId);
    if (scope === undefined) {
      scope = new TurnScope(turnId);
      this.#childScopes.set(turnId, scope);
      if (this.#childScopes.size > MOST_TURNS_OF_CHILD) {
        const [oldest] = this.#childScopes;
        if (oldest !== undefined) this.#childScopes.delete(oldest[0]);
      }
    }
    this.#newestScope = scope;
    return scope;
  }

  /** Notes that a record belongs here. */
  touch(time: HrTime): void {
    this.waits = undefined;
    if (isLater(time, this.last)) this.last = time;
    const { trace } = this;
    const { watch } = trace;
    // A store is dearer than the look: V8 notes each pointer to what is younger.
    if (watch.trace !== trace) watch.trace = trace;
    this.heard = watch.arrival;
    trace.heard = watch.arrival;
    trace.active = true;
    if (isLater(time, trace.last)) trace.last = time;
  }

  /** It went on after a failed request. */
  revive(): void {
    this.diedOf = undefined;
    this.diedForGood = false;
  }

  addOpen(node: SpanNode): void {
    if (this.openSpans === 0) this.trace.addOpen(this);
    node.before = this.lastOpen;
    if (this.lastOpen === undefined) this.firstOpen = node;
    else this.lastOpen.after = node;
    this.lastOpen = node;
    this.openSpans++;
    this.trace.openSpans++;
  }

  removeOpen(node: SpanNode): void {
    if (node.before === undefined) this.firstOpen = node.after;
    else node.before.after = node.after;
    if (node.after === undefined) this.lastOpen = node.before;
    else node.after.before = node.before;
    node.before = undefined;
    node.after = undefined;
    this.openSpans--;
    this.trace.openSpans--;
    if (this.openSpans === 0) this.trace.removeOpen(this);
  }

  /** Lets go of all spans that ended, and keeps their keys for late records. */
  release(): void {
    this.base.release();
    for (const scope of this.#childScopes?.values() ?? []) scope.release();
    this.humanInputs?.release();
    this.containers.length = 0;
    if (this.openMoaRequest?.end !== undefined) this.openMoaRequest = undefined;
  }

  /** Drops all keys; what remains is the context of its span. */
  expire(): void {
    this.expired = true;
    this.openMoaRequest = undefined;
    this.humanInputs = undefined;
    this.runningTurns = undefined;
    this.#childScopes = undefined;
    this.#newestScope = this.base;
    this.base.expire();
  }
}
