import type { HrTime, Payload } from '@hermes-observer/core';
import { object, text } from './fields.js';
import type { ToolNode, ToolStatus } from './span-node.js';
import type { AssemblyState } from './state.js';
import { EXECUTE_CODE } from './tool-names.js';

const PRECISE: ReadonlySet<unknown> = new Set<ToolStatus>(['blocked', 'cancelled', 'timeout']);
/** A result longer than this is not parsed to look for a status; a refusal is short. */
const LONGEST_PARSED_RESULT = 262_144;

/** The top-level `status` of a JSON result, if it says more than that there was an error. */
export function statusInResult(result: unknown): ToolStatus | undefined {
  let value = result;
  if (typeof result === 'string') {
    if (result.length > LONGEST_PARSED_RESULT || !result.includes('"status"')) return undefined;
    try {
      value = JSON.parse(result);
    } catch {
      return undefined;
    }
  }
  const says = object(value)?.status;
  return PRECISE.has(says) ? (says as ToolStatus) : undefined;
}

/** How a call ended: what the hook says, unless it says `error` and the result is more precise. */
export function toolStatus(payload: Payload): ToolStatus {
  const { status } = payload;
  if (status === 'ok') return status;
  if (PRECISE.has(status)) return status as ToolStatus;
  if (status !== 'error') return 'unknown';
  if (PRECISE.has(payload.result_status)) return payload.result_status as ToolStatus;
  return statusInResult(payload.result) ?? 'error';
}

/** Ends a tool call with what its end hook, or its transform hook, reported. */
export function endTool(state: AssemblyState, node: ToolNode, time: HrTime, payload: Payload): void {
  const status = toolStatus(payload);
  const type = text(payload.error_type);
  node.status = status;
  if (status === 'error' || status === 'timeout')
    node.errorType = type ?? (status === 'timeout' ? 'timeout' : '_OTHER');
  else if (status === 'blocked' && payload.status === 'blocked') node.blockedBy = type;
  endNestedCalls(state, node);
  forgetCode(state, node);
  state.end(node, time, payload);
}

/** Calls inside a tool report no end of their own; when the tool ends, what their transform hook said is it. */
export function endNestedCalls(state: AssemblyState, node: ToolNode): void {
  if (node.nested === undefined) return;
  for (const call of node.nested) {
    const { transform } = call;
    if (call.end === undefined && transform !== undefined) endTool(state, call, transform.time, transform.payload);
  }
  node.nested = undefined;
}

/** Code that no longer runs can take no nested calls. */
export function forgetCode(state: AssemblyState, node: ToolNode): void {
  if (node.name !== EXECUTE_CODE) return;
  const { producer } = node.invocation;
  const running = state.openCode.get(producer);
  if (running?.delete(node) === true && running.size === 0) state.openCode.delete(producer);
}
