import type { HookMeta, HrTime, Payload } from '@hermes-observer/core';
import { compareTime } from '@hermes-observer/core';
import { text } from './fields.js';
import type { Invocation } from './invocation.js';
import { KeyedSpans, nextOrdinal, openOf } from './keyed-spans.js';
import { ownerOf } from './owner.js';
import { type AnyNode, HumanInputNode, type SpanNode } from './span-node.js';
import { type AssemblyState, sessionOf, turnOf } from './state.js';

function keyOf(payload: Payload): string {
  return text(payload.request_id) ?? `\0${text(payload.kind) ?? ''}`;
}

/** Of many open spans only the newest are looked at, so that the work does not grow with them. */
const MOST_LOOKED_AT = 64;

/** The call that asks: the open tool of the question's own kind, or the only one open; else the turn. */
function askedBy(owner: Invocation, kind: string | undefined): SpanNode | undefined {
  let only: SpanNode | undefined;
  let tools = 0;
  let looks = MOST_LOOKED_AT;
  for (let node = owner.lastOpen; node !== undefined && looks-- > 0; node = node.before) {
    const open = node as AnyNode;
    if (open.kind !== 'tool') continue;
    if (open.name === kind) return open;
    only = open;
    tools++;
  }
  return tools === 1 ? only : owner.node;
}

/** True when an approval of the session runs now or ended no earlier than this moment. */
function isCovered(state: AssemblyState, session: string | undefined, time: HrTime): boolean {
  const known = state.sessions.find(session);
  if (known === undefined) return false;
  return (
    known.openApprovals > 0 || (known.lastApprovalEnd !== undefined && compareTime(known.lastApprovalEnd, time) >= 0)
  );
}

/** Questions of a turn or child; those that name nobody are kept by producer, and are roots of their own. */
function inputsOf(state: AssemblyState, owner: Invocation | undefined, meta: HookMeta): KeyedSpans<HumanInputNode> {
  const keeper = owner ?? state.strayScope(meta.producer ?? '');
  keeper.humanInputs ??= new KeyedSpans();
  return keeper.humanInputs;
}

const namesNobody = (payload: Payload) => text(payload.turn_id) === undefined && text(payload.session_id) === undefined;

export function onHumanInputStart(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const owner = ownerOf(state, payload, meta, text(payload.turn_id), text(payload.session_id), false);
  // No question opens a turn: one of a turn or session that is not known makes nothing.
  if (owner === null || (owner === undefined && !namesNobody(payload))) return;
  const key = keyOf(payload);
  const inputs = inputsOf(state, owner, meta);
  const found = inputs.find(key);
  const requestId = text(payload.request_id);
  // A request id names one prompt; without one, the same kind may be asked again.
  if (found !== undefined && (requestId !== undefined || openOf(found) !== undefined)) return;
  const kind = text(payload.kind);
  const held = kind === 'approval';
  const invocation = owner ?? state.newStray(meta, meta.time, payload);
  const parent = owner === undefined ? undefined : askedBy(owner, kind);
  const session = sessionOf(invocation, text(payload.session_id));
  const turnId = turnOf(invocation, text(payload.turn_id));
  const ordinal = owner === undefined ? 0 : nextOrdinal(found, inputs);
  const node = new HumanInputNode(invocation, parent, meta.time, session, turnId, ordinal);
  node.inputKind = kind;
  node.requestId = requestId;
  node.held = held;
  inputs.add(key, node, state.limits.maxKeysPerTurn);
  if (held) {
    node.covered = isCovered(state, node.session, meta.time);
    if (!node.covered && node.session !== undefined) state.sessions.get(node.session).held.add(node);
  }
  state.open(node, payload);
}

export function onHumanInputEnd(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const owner = ownerOf(state, payload, meta, text(payload.turn_id), text(payload.session_id), false);
  const key = keyOf(payload);
  if (owner === null) return;
  let node = inputsOf(state, owner, meta).get(key);
  if (node === undefined && text(payload.request_id) !== undefined) {
    // The session may have gone on to another turn while the person thought.
    for (const turn of state.sessions.find(text(payload.session_id))?.open ?? []) node ??= turn.humanInputs?.get(key);
    node?.invocation.touch(meta.time);
  }
  if (node === undefined || node.end !== undefined) return;
  node.outcome = text(payload.outcome);
  if (node.session !== undefined) state.sessions.find(node.session)?.held.delete(node);
  state.end(node, meta.time, payload);
}
