import type { HookMeta, HrTime, Payload } from '@hermes-observer/core';
import { millisBetween } from '@hermes-observer/core';
import { closeInvocation, cut, endFailedRequest, hasRunningTool } from './closing.js';
import { count, object, text } from './fields.js';
import type { Invocation, TurnScope } from './invocation.js';
import { KeyedSpans, nextOrdinal, openOf } from './keyed-spans.js';
import { loneStart } from './lone-start.js';
import { ownerOf } from './owner.js';
import { RequestNode } from './span-node.js';
import { type AssemblyState, sessionOf, turnOf } from './state.js';

type RequestKind = 'request' | 'auxiliary';

/** The keys of a turn; auxiliary requests may name it or not and come after it: one set for all turns of a child. */
function scopeOf(
  state: AssemblyState,
  kind: RequestKind,
  owner: Invocation | undefined,
  turnId: string | undefined,
  meta: HookMeta,
): TurnScope {
  if (owner === undefined) return state.strayScope(meta.producer ?? '');
  return kind === 'request' ? owner.scope(turnId) : owner.base;
}

function spansOf(scope: TurnScope, kind: RequestKind): KeyedSpans<RequestNode> {
  if (kind === 'request') {
    scope.requests ??= new KeyedSpans();
    return scope.requests;
  }
  scope.auxiliary ??= new KeyedSpans();
  return scope.auxiliary;
}

function keyOf(kind: RequestKind, payload: Payload): string {
  return text(payload.api_request_id) ?? (kind === 'auxiliary' ? text(payload.aux_task) : undefined) ?? '';
}

function openRequest(
  state: AssemblyState,
  kind: RequestKind,
  owner: Invocation | undefined,
  scope: TurnScope,
  key: string,
  found: RequestNode | number | undefined,
  turnId: string | undefined,
  session: string | undefined,
  start: HrTime,
  payload: Payload,
  meta: HookMeta,
): RequestNode {
  const invocation = owner ?? state.newStray(meta, start, payload);
  const spans = spansOf(scope, kind);
  const node = new RequestNode(
    kind,
    invocation,
    owner?.node,
    start,
    sessionOf(invocation, session),
    turnOf(invocation, turnId),
    owner === undefined ? 0 : nextOrdinal(found, spans),
    scope,
    text(payload.api_request_id),
    text(payload.model),
    text(payload.provider),
  );
  if (start !== meta.time) {
    node.startMissing = true;
    node.attempts = 0;
    node.attemptStart = undefined;
  }
  if (kind === 'auxiliary') {
    node.auxTask = text(payload.aux_task);
    if (owner?.openMoaRequest?.end === undefined) node.within = owner?.openMoaRequest;
  } else {
    if (found === undefined) invocation.apiCalls++;
    if (node.provider === 'moa') invocation.openMoaRequest = node;
  }
  if (found === undefined) spans.addNew(key, node, state.limits.maxKeysPerTurn);
  else spans.add(key, node, state.limits.maxKeysPerTurn);
  state.open(node, payload);
  return node;
}

/** `pre_api_request`, `pre_auxiliary_call`: a request begins, or is tried again. */
export function onRequestStart(state: AssemblyState, kind: RequestKind, payload: Payload, meta: HookMeta): void {
  const turnId = text(payload.turn_id);
  const session = text(payload.session_id);
  const owner = ownerOf(state, payload, meta, turnId, session, true);
  if (owner === null) return;
  const scope = scopeOf(state, kind, owner, turnId, meta);
  const key = keyOf(kind, payload);
  const found = spansOf(scope, kind).find(key);
  let node = openOf(found);
  if (node !== undefined && node.model === text(payload.model) && node.provider === text(payload.provider)) {
    node.attempts++;
    node.attemptStart = meta.time;
    node.failure = undefined;
    if (owner === undefined) node.invocation.touch(meta.time);
    state.sink.update(node, payload);
  } else {
    if (node !== undefined && !endFailedRequest(state, node)) {
      // Another model took over and nobody said why.
      node.errorType = '_OTHER';
      state.end(node, meta.time, undefined);
    }
    node = openRequest(state, kind, owner, scope, key, found, turnId, session, meta.time, payload, meta);
  }
  // An agent that runs requests side by side says so; else one still open was given up.
  if (kind === 'request' && owner !== undefined && payload.parallel !== true) endOthers(state, scope, node, meta.time);
}

/** A turn asks for one answer at a time: a request still open when the next begins was given up. */
function endOthers(state: AssemblyState, scope: TurnScope, newest: RequestNode, time: HrTime): void {
  const other = scope.openRequest;
  if (other !== undefined && other !== newest && other.end === undefined) cut(state, other, time, 'next_request');
  scope.openRequest = newest;
}

/** `post_api_request`, `api_request_error`, `post_auxiliary_call`: an attempt ended, with an answer or without. */
export function onRequestEnd(state: AssemblyState, kind: RequestKind, payload: Payload, meta: HookMeta): void {
  const turnId = text(payload.turn_id);
  const session = text(payload.session_id);
  const owner = ownerOf(state, payload, meta, turnId, session, true);
  if (owner === null) return;
  const failure = meta.hook === 'post_api_request' ? undefined : failureOf(payload, meta);
  if (owner !== undefined && meta.hook === 'api_request_error') {
    owner.diedOf = failure?.type;
    owner.diedForGood = payload.retryable === false;
  }
  const scope = scopeOf(state, kind, owner, turnId, meta);
  const key = keyOf(kind, payload);
  const newest = kind === 'request' ? scope.openRequest : undefined;
  const found = newest?.requestId === key ? newest : spansOf(scope, kind).find(key);
  let node = openOf(found);
  if (node === undefined) {
    // A second end changes nothing, and neither does one of a child that was stopped.
    if (found !== undefined) return;
    if (owner?.kind === 'child' && owner.closedAt !== undefined) return;
    const { forgotten } = spansOf(scope, kind);
    if (forgotten > 0) {
      // It may be the end of one that was let go of.
      state.stats.tooLate++;
      return;
    }
    const start = loneStart(meta.hook, payload, meta.time) ?? meta.time;
    node = openRequest(state, kind, owner, scope, key, undefined, turnId, session, start, payload, meta);
  }

  if (owner === undefined) node.invocation.touch(meta.time);
  if (failure !== undefined) {
    failAttempt(state, node, failure, payload);
    return;
  }
  node.attempts ||= 1;
  node.failure = undefined;
  if (node.auxTask === 'moa_aggregator' && node.within !== undefined) {
    // The aggregator's usage comes twice; it stands here when this ends first, else on the request around it.
    if (node.within.end === undefined) node.within.usageElsewhere = true;
    else node.usageElsewhere = true;
  }
  const answers = owner?.turnKind === 'background' && kind === 'request' && !asksForTools(payload);
  state.end(node, meta.time, payload);
  if (answers) completeBackground(state, owner, meta.time);
}

function failureOf(payload: Payload, meta: HookMeta) {
  if (meta.hook === 'api_request_error') {
    const error = object(payload.error);
    return {
      time: meta.time,
      type: text(error?.type) ?? '_OTHER',
      statusCode: count(payload.status_code),
      message: text(error?.message),
    };
  }
  const type = text(payload.error_type);
  if (type === undefined && !payload.error) return undefined;
  return {
    time: meta.time,
    type: type ?? '_OTHER',
    statusCode: count(payload.status_code),
    message: text(payload.error),
  };
}

function failAttempt(
  state: AssemblyState,
  node: RequestNode,
  failure: NonNullable<ReturnType<typeof failureOf>>,
  payload: Payload,
): void {
  const attempt = Math.max(node.attempts, node.failedAttempts + 1);
  const { attemptStart } = node;
  const retryReason = text(payload.reason);
  node.failedAttempts++;
  node.attempts = Math.max(node.attempts, node.failedAttempts);
  node.attemptStart = undefined;
  node.failure = failure;
  state.sink.attemptFailed(node, {
    ...failure,
    attempt,
    retryReason,
    durationMillis: attemptStart === undefined ? undefined : millisBetween(attemptStart, failure.time),
  });
}

const asksForTools = (payload: Payload) =>
  (count(payload.assistant_tool_call_count) ?? 0) > 0 || payload.finish_reason === 'tool_calls';

/** Nothing ends background work: it is done when an answer asks for no tool and none is running. */
function completeBackground(state: AssemblyState, turn: Invocation, time: HrTime): void {
  if (turn.closedAt !== undefined) return;
  if (turn.node?.kind !== 'turn' || hasRunningTool(turn)) return;
  turn.node.outcome = 'completed';
  closeInvocation(state, turn, time, 'turn_ended', undefined);
}
