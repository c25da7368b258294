import type { HookMeta, HrTime, Payload } from '@hermes-observer/core';
import { CallQueue } from './call-queue.js';
import { text } from './fields.js';
import type { Invocation, NamedCalls, TurnScope } from './invocation.js';
import { forgetOldest, KeyedSpans, nextOrdinal, openOf } from './keyed-spans.js';
import { loneStart } from './lone-start.js';
import { dropEnded, openContainer, ownerOf } from './owner.js';
import { type AnyNode, ToolNode } from './span-node.js';
import { type AssemblyState, sessionOf, turnOf } from './state.js';
import { endTool, toolStatus } from './tool-end.js';
import { CLAUDE_AGENTS, DELEGATE_TASK, EXECUTE_CODE } from './tool-names.js';

const hasNoIds = (payload: Payload, turnId: string | undefined, session: string | undefined) =>
  turnId === undefined && session === undefined && text(payload.tool_call_id) === undefined;

/** Whose call this is. One without any id can belong to the only code that runs in its process. */
function callerOf(
  state: AssemblyState,
  payload: Payload,
  meta: HookMeta,
  turnId: string | undefined,
  session: string | undefined,
  opens: boolean,
): Invocation | null | undefined {
  const owner = ownerOf(state, payload, meta, turnId, session, opens);
  if (owner !== undefined || !hasNoIds(payload, turnId, session)) return owner;
  const running = state.openCode.get(meta.producer ?? '');
  if (running?.size !== 1) return undefined;
  const [code] = running;
  code?.invocation.touch(meta.time);
  return code?.invocation;
}

const scopeOf = (state: AssemblyState, owner: Invocation | undefined, turnId: string | undefined, meta: HookMeta) =>
  owner === undefined ? state.strayScope(meta.producer ?? '') : owner.scope(turnId);

const isEnded = ({ end }: ToolNode) => end !== undefined;
const isTold = ({ end, transform }: ToolNode) => end !== undefined || transform !== undefined;

function namedCalls(scope: TurnScope, name: string, max: number): NamedCalls {
  scope.named ??= new Map();
  let calls = scope.named.get(name);
  if (calls === undefined) {
    calls = { started: scope.forgottenStarts, open: new CallQueue(isEnded), untold: new CallQueue(isTold) };
    scope.named.set(name, calls);
    scope.forgottenStarts += forgetOldest(scope.named, max);
  }
  return calls;
}

function openCall(
  state: AssemblyState,
  owner: Invocation | undefined,
  scope: TurnScope,
  turnId: string | undefined,
  session: string | undefined,
  callId: string | undefined,
  found: ToolNode | number | undefined,
  start: HrTime,
  payload: Payload,
  meta: HookMeta,
): ToolNode {
  const name = text(payload.tool_name);
  // Calls made by running code carry only the task, or nothing.
  const code =
    owner !== undefined && hasNoIds(payload, turnId, session) ? openContainer(owner, EXECUTE_CODE) : undefined;
  const invocation = owner ?? state.newStray(meta, start, payload);
  const calls = callId === undefined ? namedCalls(scope, name ?? '', state.limits.maxKeysPerTurn) : undefined;
  let ordinal = calls === undefined ? nextOrdinal(found, scope.tools) : calls.started++;
  if (owner === undefined) ordinal = 0;
  const node = new ToolNode(
    invocation,
    code ?? owner?.node,
    start,
    sessionOf(invocation, session),
    turnOf(invocation, turnId),
    ordinal,
    scope,
    name,
    callId,
  );
  if (start !== meta.time) node.startMissing = true;
  if (callId === undefined) {
    calls?.open.add(node);
    calls?.untold.add(node);
  } else {
    scope.tools ??= new KeyedSpans();
    if (found === undefined) scope.tools.addNew(callId, node, state.limits.maxKeysPerTurn);
    else scope.tools.add(callId, node, state.limits.maxKeysPerTurn);
  }
  if (code === undefined) invocation.toolCalls++;
  else {
    code.nested ??= [];
    code.nested.push(node);
  }
  if (owner !== undefined && (name === EXECUTE_CODE || name === DELEGATE_TASK || CLAUDE_AGENTS.has(name))) {
    dropEnded(owner.containers);
    owner.containers.push(node);
    if (name === EXECUTE_CODE) noteRunningCode(state, node);
  }
  state.open(node, payload);
  return node;
}

function noteRunningCode(state: AssemblyState, node: ToolNode): void {
  const { producer } = node.invocation;
  const running = state.openCode.get(producer);
  if (running === undefined) state.openCode.set(producer, new Set([node]));
  else running.add(node);
}

/** The open call that an end without a call id means: the oldest of that name. */
function oldestOpen(scope: TurnScope, payload: Payload): ToolNode | undefined {
  return scope.named?.get(text(payload.tool_name) ?? '')?.open.first();
}

/** The open call that a transform without a call id means: the oldest of that name that had none yet. */
function oldestUntold(scope: TurnScope, payload: Payload): ToolNode | undefined {
  return scope.named?.get(text(payload.tool_name) ?? '')?.untold.first();
}

export function onToolStart(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const turnId = text(payload.turn_id);
  const session = text(payload.session_id);
  const owner = callerOf(state, payload, meta, turnId, session, true);
  if (owner === null) return;
  const scope = scopeOf(state, owner, turnId, meta);
  const callId = text(payload.tool_call_id);
  const found = callId === undefined ? undefined : scope.tools?.find(callId);
  if (openOf(found) === undefined) {
    openCall(state, owner, scope, turnId, session, callId, found, meta.time, payload, meta);
  }
}

export function onToolEnd(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const turnId = text(payload.turn_id);
  const session = text(payload.session_id);
  const owner = callerOf(state, payload, meta, turnId, session, true);
  if (owner === null) return;
  const scope = scopeOf(state, owner, turnId, meta);
  const callId = text(payload.tool_call_id);
  const newest = owner?.lastOpen as AnyNode | undefined;
  let found: ToolNode | number | undefined;
  if (callId === undefined) found = oldestOpen(scope, payload);
  // Most calls run one at a time: then the newest open span is the one.
  else if (newest?.kind === 'tool' && newest.callId === callId && newest.scope === scope) found = newest;
  else found = scope.tools?.find(callId);
  let node = openOf(found);
  if (node === undefined) {
    // A second end changes nothing, and neither does one of a child that was stopped.
    if (found !== undefined) return;
    if (owner?.kind === 'child' && owner.closedAt !== undefined) return;
    if (callId !== undefined && (scope.tools?.forgotten ?? 0) > 0) {
      // It may be the end of one that was let go of.
      state.stats.tooLate++;
      return;
    }
    const start = loneStart(meta.hook, payload, meta.time) ?? meta.time;
    node = openCall(state, owner, scope, turnId, session, callId, undefined, start, payload, meta);
  }
  endTool(state, node, meta.time, payload);
}

/** `transform_tool_result` stands in for the end of calls that report none. */
export function onToolTransform(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const turnId = text(payload.turn_id);
  const session = text(payload.session_id);
  const owner = callerOf(state, payload, meta, turnId, session, false);
  if (owner === null) return;
  const scope = scopeOf(state, owner, turnId, meta);
  const callId = text(payload.tool_call_id);
  const node = callId === undefined ? oldestUntold(scope, payload) : scope.tools?.get(callId);
  if (node === undefined || node.end !== undefined) return;
  state.watch.trace ??= node.invocation.trace;
  node.transform ??= { time: meta.time, payload: said(payload) };
}

/** What a transform says, read now: the payload is the producer's own, and must not be read when its call is over. */
function said(payload: Payload): Payload {
  const { status, error_type, args, result, duration_ms, error_message } = payload;
  const meant = toolStatus(payload);
  const blockedBy = meant === 'blocked' && status !== 'blocked' ? undefined : error_type;
  return { status: meant, error_type: blockedBy, args, result, duration_ms, error_message };
}

/** `observer_policy_decision`: what a gate decided about a call that is open. */
export function onPolicyDecision(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const turnId = text(payload.turn_id);
  const session = text(payload.session_id);
  const owner = ownerOf(state, payload, meta, turnId, session, false);
  const callId = text(payload.tool_call_id);
  const node = callId === undefined ? undefined : owner?.scope(turnId).tools?.get(callId);
  if (node === undefined || node.end !== undefined) state.stats.unplacedDecisions++;
  else state.sink.policyDecision(node, meta.time, payload);
}
