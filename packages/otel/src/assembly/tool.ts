import type { HookMeta, HrTime, Payload } from '@hermes-observer/core';
import { text } from './fields.js';
import type { Invocation, NamedCalls, TurnScope } from './invocation.js';
import { loneStart } from './lone-start.js';
import { openTool, ownerOf } from './owner.js';
import { ToolNode } from './span-node.js';
import { type AssemblyState, remember } from './state.js';
import { endTool } from './tool-end.js';
import { EXECUTE_CODE } from './tool-names.js';

/** Whose call this is, and the code it was made from, if it was. */
interface ToolPlace {
  readonly owner: Invocation | undefined;
  readonly code: ToolNode | undefined;
  readonly scope: TurnScope;
}

function placeOf(state: AssemblyState, payload: Payload, meta: HookMeta, opens: boolean): ToolPlace | null {
  let owner = ownerOf(state, payload, meta, opens);
  if (owner === null) return null;
  let code: ToolNode | undefined;
  if (
    text(payload.tool_call_id) === undefined &&
    text(payload.turn_id) === undefined &&
    text(payload.session_id) === undefined
  ) {
    // Calls made by running code carry only the task, or nothing: then the only code that runs in that process.
    if (owner === undefined) {
      const running = state.openCode.get(meta.producer ?? '');
      if (running?.size === 1) for (const only of running) owner = only.invocation;
      owner?.touch(meta.time);
    }
    if (owner !== undefined) code = openTool(owner, EXECUTE_CODE);
  }
  const scope = owner?.scope(text(payload.turn_id)) ?? state.strayScope(meta.producer ?? '');
  return { owner, code, scope };
}

function namedCalls(scope: TurnScope, name: string): NamedCalls {
  scope.named ??= new Map();
  let calls = scope.named.get(name);
  if (calls === undefined) {
    calls = { started: 0, open: [] };
    scope.named.set(name, calls);
  }
  return calls;
}

function openCall(
  state: AssemblyState,
  { owner, code, scope }: ToolPlace,
  start: HrTime,
  payload: Payload,
  meta: HookMeta,
): ToolNode {
  const callId = text(payload.tool_call_id);
  const name = text(payload.tool_name);
  const invocation = owner ?? state.newStray(meta, start, payload);
  let ordinal = 0;
  let calls: NamedCalls | undefined;
  if (callId === undefined) {
    calls = namedCalls(scope, name ?? '');
    ordinal = calls.started++;
  } else {
    const before = scope.tools?.get(callId);
    if (before !== undefined) ordinal = before.ordinal + 1;
  }
  if (owner === undefined) ordinal = 0;
  const place = state.place(invocation, code ?? owner?.node, start, payload, ordinal);
  const node = new ToolNode(place, scope, name, callId, text(payload.api_request_id));
  node.startMissing = start !== meta.time;
  if (owner === undefined) node.profile = meta.profile;
  if (calls !== undefined) calls.open.push(node);
  else {
    scope.tools ??= new Map();
    remember(scope.tools, callId ?? '', node, state.limits.maxKeysPerTurn);
  }
  if (code === undefined) invocation.toolCalls++;
  else {
    code.nested ??= [];
    code.nested.push(node);
  }
  if (name === EXECUTE_CODE && owner !== undefined) {
    const running = state.openCode.get(invocation.producer);
    if (running === undefined) state.openCode.set(invocation.producer, new Set([node]));
    else running.add(node);
  }
  state.open(node, payload);
  return node;
}

/** The open call that an end without a call id means: the oldest of that name. */
function oldestOpen(scope: TurnScope, payload: Payload, wanted: (node: ToolNode) => boolean): ToolNode | undefined {
  const calls = scope.named?.get(text(payload.tool_name) ?? '');
  if (calls === undefined) return undefined;
  while (calls.open[0]?.end !== undefined) calls.open.shift();
  return calls.open.find((node) => node.end === undefined && wanted(node));
}

export function onToolStart(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const place = placeOf(state, payload, meta, true);
  if (place === null) return;
  const callId = text(payload.tool_call_id);
  const known = callId === undefined ? undefined : place.scope.tools?.get(callId);
  if (known !== undefined && known.end === undefined) return;
  openCall(state, place, meta.time, payload, meta);
}

export function onToolEnd(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const place = placeOf(state, payload, meta, true);
  if (place === null) return;
  const { owner, scope } = place;
  const callId = text(payload.tool_call_id);
  let node = callId === undefined ? oldestOpen(scope, payload, () => true) : scope.tools?.get(callId);
  if (node === undefined) {
    if (owner?.kind === 'child' && owner.closedAt !== undefined) return;
    node = openCall(state, place, loneStart(meta.hook, payload, meta.time) ?? meta.time, payload, meta);
  }
  if (node.end === undefined) endTool(state, node, meta.time, payload);
}

/** `transform_tool_result` stands in for the end of calls that report none. */
export function onToolTransform(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const place = placeOf(state, payload, meta, false);
  if (place === null) return;
  const callId = text(payload.tool_call_id);
  const node =
    callId === undefined
      ? oldestOpen(place.scope, payload, (open) => open.transform === undefined)
      : place.scope.tools?.get(callId);
  if (node !== undefined && node.end === undefined) node.transform ??= { time: meta.time, payload };
}

/** `observer_policy_decision`: what a gate decided about a call that is open. */
export function onPolicyDecision(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const owner = ownerOf(state, payload, meta, false);
  const callId = text(payload.tool_call_id);
  const scope = owner?.scope(text(payload.turn_id));
  const node = callId === undefined || scope === undefined ? undefined : scope.tools?.get(callId);
  if (node === undefined || node.end !== undefined) state.stats.unplacedDecisions++;
  else state.sink.policyDecision(node, meta.time, payload);
}
