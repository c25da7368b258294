import type { HookMeta, HrTime, Payload } from '@hermes-observer/core';
import { millisBetween } from '@hermes-observer/core';
import { closeInvocation, cut, endFailedRequest, hasRunningTool } from './closing.js';
import { count, object, text } from './fields.js';
import type { Invocation, TurnScope } from './invocation.js';
import { loneStart } from './lone-start.js';
import { ownerOf } from './owner.js';
import { RequestNode } from './span-node.js';
import { type AssemblyState, remember } from './state.js';

type RequestKind = 'request' | 'auxiliary';

/** Where the spans of one kind of request are kept, and under which key. */
interface RequestKeys {
  readonly scope: TurnScope;
  readonly map: Map<string, RequestNode>;
  readonly key: string;
}

function keysOf(
  state: AssemblyState,
  kind: RequestKind,
  owner: Invocation | undefined,
  payload: Payload,
  meta: HookMeta,
): RequestKeys {
  const id = text(payload.api_request_id);
  if (kind === 'request') {
    const scope = owner?.scope(text(payload.turn_id)) ?? state.strayScope(meta.producer ?? '');
    scope.requests ??= new Map();
    return { scope, map: scope.requests, key: id ?? '' };
  }
  // Auxiliary requests may come after their turn and name it or not: one set for all turns of a child.
  const scope = owner?.base ?? state.strayScope(meta.producer ?? '');
  scope.auxiliary ??= new Map();
  return { scope, map: scope.auxiliary, key: id ?? text(payload.aux_task) ?? '' };
}

function openRequest(
  state: AssemblyState,
  kind: RequestKind,
  owner: Invocation | undefined,
  keys: RequestKeys,
  start: HrTime,
  payload: Payload,
  meta: HookMeta,
): RequestNode {
  const before = keys.map.get(keys.key);
  const invocation = owner ?? state.newStray(meta, start, payload);
  const ordinal = owner === undefined || before === undefined ? 0 : before.ordinal + 1;
  const place = state.place(invocation, owner?.node, start, payload, ordinal);
  const node = new RequestNode(kind, place, text(payload.api_request_id), text(payload.model), text(payload.provider));
  node.scope = keys.scope;
  node.auxTask = kind === 'auxiliary' ? text(payload.aux_task) : undefined;
  node.profile = owner === undefined ? meta.profile : undefined;
  if (kind === 'request' && before === undefined) invocation.apiCalls++;
  node.startMissing = start !== meta.time;
  if (node.startMissing) node.attemptStart = undefined;
  if (kind === 'auxiliary') node.within = owner?.openMoaRequest?.end === undefined ? owner?.openMoaRequest : undefined;
  else if (node.provider === 'moa') invocation.openMoaRequest = node;
  remember(keys.map, keys.key, node, state.limits.maxKeysPerTurn);
  state.open(node, payload);
  return node;
}

/** `pre_api_request`, `pre_auxiliary_call`: a request begins, or is tried again. */
export function onRequestStart(state: AssemblyState, kind: RequestKind, payload: Payload, meta: HookMeta): void {
  const owner = ownerOf(state, payload, meta, true);
  if (owner === null) return;
  const keys = keysOf(state, kind, owner, payload, meta);
  const open = keys.map.get(keys.key);
  let node: RequestNode | undefined = open?.end === undefined ? open : undefined;
  if (node !== undefined && node.model === text(payload.model) && node.provider === text(payload.provider)) {
    node.attempts++;
    node.attemptStart = meta.time;
    node.failure = undefined;
    state.sink.update(node, payload);
  } else {
    if (node !== undefined && !endFailedRequest(state, node)) {
      // Another model took over and nobody said why.
      node.errorType = '_OTHER';
      state.end(node, meta.time, undefined);
    }
    node = openRequest(state, kind, owner, keys, meta.time, payload, meta);
  }
  if (kind === 'request' && owner !== undefined) endOthers(state, keys.scope, node, meta.time);
}

/** A turn asks for one answer at a time: a request still open when the next begins was given up. */
function endOthers(state: AssemblyState, scope: TurnScope, newest: RequestNode, time: HrTime): void {
  const other = scope.openRequest;
  if (other !== undefined && other !== newest && other.end === undefined) cut(state, other, time, 'next_request');
  scope.openRequest = newest;
}

/** `post_api_request`, `api_request_error`, `post_auxiliary_call`: an attempt ended, with an answer or without. */
export function onRequestEnd(state: AssemblyState, kind: RequestKind, payload: Payload, meta: HookMeta): void {
  const owner = ownerOf(state, payload, meta, true);
  if (owner === null) return;
  const failure = failureOf(payload, meta);
  if (owner !== undefined && meta.hook === 'api_request_error') owner.diedOf = failure?.type;
  const keys = keysOf(state, kind, owner, payload, meta);
  let node = keys.map.get(keys.key);
  if (node === undefined) {
    if (owner?.kind === 'child' && owner.closedAt !== undefined) return;
    const start = loneStart(meta.hook, payload, meta.time) ?? meta.time;
    node = openRequest(state, kind, owner, keys, start, payload, meta);
    node.attempts = 0;
    node.attemptStart = undefined;
  } else if (node.end !== undefined) return;

  if (failure !== undefined) return failAttempt(state, node, failure, payload);
  node.attempts ||= 1;
  node.failure = undefined;
  if (node.auxTask === 'moa_aggregator' && node.within !== undefined) {
    // The aggregator's usage comes twice; it stands here when this ends first, else on the request around it.
    if (node.within.end === undefined) node.within.usageElsewhere = true;
    else node.usageElsewhere = true;
  }
  state.end(node, meta.time, payload);
  if (owner?.turnKind === 'background' && kind === 'request') completeBackground(state, owner, payload, meta.time);
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
  if (meta.hook !== 'post_auxiliary_call') return undefined;
  const type = text(payload.error_type);
  if (type === undefined && !payload.error) return undefined;
  return { time: meta.time, type: type ?? '_OTHER', statusCode: count(payload.status_code), message: text(payload.error) };
}

function failAttempt(
  state: AssemblyState,
  node: RequestNode,
  failure: NonNullable<ReturnType<typeof failureOf>>,
  payload: Payload,
): void {
  const attempt = Math.max(node.attempts, node.failedAttempts + 1);
  const { attemptStart } = node;
  node.failedAttempts++;
  node.attempts = Math.max(node.attempts, node.failedAttempts);
  node.attemptStart = undefined;
  node.failure = failure;
  state.sink.attemptFailed(node, {
    ...failure,
    attempt,
    retryReason: text(payload.reason),
    durationMillis: attemptStart === undefined ? undefined : millisBetween(attemptStart, failure.time),
  });
}

/** Nothing ends background work: it is done when an answer asks for no tool and none is running. */
function completeBackground(state: AssemblyState, turn: Invocation, payload: Payload, time: HrTime): void {
  const asked = count(payload.assistant_tool_call_count) ?? 0;
  if (asked > 0 || payload.finish_reason === 'tool_calls' || turn.closedAt !== undefined) return;
  if (turn.node?.kind !== 'turn' || hasRunningTool(turn)) return;
  turn.node.outcome = 'completed';
  closeInvocation(state, turn, time, 'turn_ended', undefined);
}
