import type { Payload, ToolDecision } from '@hermes-observer/core';
import { isGranted } from './approver.js';
import { readableArgs } from './readable-args.js';
import { ABORTED, unlessAborted } from './signals.js';
import { type BlockKind, ToolBlockedError } from './tool-blocked-error.js';
import type { TurnState } from './turn-state.js';

/** A call that wants to run. */
export interface AskedCall {
  readonly name: string;
  readonly callId: string;
  readonly args: unknown;
  readonly signal: AbortSignal | undefined;
  readonly guardTimeoutMs: number | undefined;
}

/**
 * Asks the hub's responders about a call, and the approver where they want one. Resolves to the arguments to run with, in
 * an object: they may have a `then`. Rejects with a `ToolBlockedError`, or with the signal's reason when the question was called off.
 */
export async function allowedArgs(
  turn: TurnState,
  call: AskedCall,
  payload: Payload,
): Promise<{ readonly args: unknown }> {
  const { signal, guardTimeoutMs: timeoutMs } = call;
  const options = { ...(signal === undefined ? {} : { signal }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  const args = readableArgs(call.args);
  const asked = args === call.args ? payload : { ...payload, args: args as never };
  const decision = await unlessAborted(() => turn.host.hub.ask('pre_tool_call', asked, options), signal);
  if (decision === ABORTED) throw abortReason(signal);
  if (decision.decision === 'block') {
    if (decision.kind === 'hook_aborted') throw abortReason(signal);
    throw blocked(call, decision.kind ?? 'denied', decision.reason, decision);
  }
  if (decision.decision === 'approve') await approval(turn, call, decision);
  return { args: decision.args === args ? call.args : finalArgs(call.args, decision.args) };
}

/** Arguments that are no object (a string, say) are nothing a responder could have changed. */
function finalArgs(asked: unknown, decided: ToolDecision['args']): unknown {
  if (typeof asked === 'object' && asked !== null) return decided;
  return Object.keys(decided).length > 0 ? decided : asked;
}

const abortReason = (signal: AbortSignal | undefined): unknown =>
  signal?.reason ?? new DOMException('The call was aborted', 'AbortError');

function blocked(call: AskedCall, kind: BlockKind, reason: string | undefined, decision: ToolDecision) {
  return new ToolBlockedError(call.name, call.callId, kind, reason ?? kind.replaceAll('_', ' '), decision);
}

async function approval(turn: TurnState, call: AskedCall, decision: ToolDecision): Promise<void> {
  const { host } = turn;
  const { reason, ruleKey: patternKey = call.name } = decision;
  if (host.approve === undefined) throw blocked(call, 'no_approver', reason, decision);
  const question = {
    ...turn.ids(),
    tool_call_id: call.callId,
    surface: 'in_process',
    pattern_key: patternKey,
    pattern_keys: [patternKey],
    session_key: turn.sessionId,
    command: call.name,
    description: reason,
  };
  turn.emit('pre_approval_request', () => question);
  const choice = await answerOf(turn, call, decision, patternKey);
  turn.emit('post_approval_response', () => ({ ...question, choice: choice === ABORTED ? 'cancelled' : choice }));
  if (choice === ABORTED) throw abortReason(call.signal);
  if (isGranted(choice)) return;
  const refused = `${reason ?? 'it needs approval'} (answer: ${choice})`;
  if (choice === 'timeout') throw blocked(call, 'approval_timeout', refused, decision);
  throw blocked(call, choice === 'notify_failed' ? 'approval_failed' : 'approval_denied', refused, decision);
}

/** The approver's answer. One that throws has not been reached, and no text is a refusal. */
async function answerOf(turn: TurnState, call: AskedCall, decision: ToolDecision, patternKey: string) {
  const { name: toolName, signal } = call;
  const { args, reason } = decision;
  try {
    const ask = () => turn.host.approve?.({ toolName, args, reason, patternKey, signal });
    const answer = await unlessAborted(ask, signal);
    return typeof answer === 'string' || answer === ABORTED ? answer : 'deny';
  } catch {
    return 'notify_failed';
  }
}
