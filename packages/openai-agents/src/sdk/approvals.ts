import { fieldsOf, listOf, textOf } from './fields.js';

/** A call that waits for a person, as the SDK keeps it. */
export interface WaitingCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: string | undefined;
}

/** One that a person has decided about; `undefined` where the program goes on without a decision. */
export interface DecidedCall extends WaitingCall {
  readonly approved: boolean | undefined;
}

/** Whether a value is the state of a run, which goes on from it. */
export const isState = (value: unknown): boolean => {
  const state = fieldsOf(value);
  return state._context !== undefined && typeof state.approve === 'function';
};

/** The agent in charge, of a state. */
export const agentOf = (state: unknown): unknown => fieldsOf(state)._currentAgent;

/**
 * Calls of the agent in charge that wait for a person. Those of agents that it runs as tools stand here as well, and are
 * told by the run that asked for them.
 */
export const waitingCallsIn = (state: unknown): WaitingCall[] =>
  interruptionsIn(state)
    .map(waitingCallOf)
    .filter((call) => call !== undefined);

/** The same calls, with what a person said. */
export const decidedCallsIn = (state: unknown): DecidedCall[] =>
  interruptionsIn(state).flatMap((item) => {
    const call = waitingCallOf(item);
    return call === undefined ? [] : [{ ...call, approved: decisionOf(state, item, call) }];
  });

function interruptionsIn(state: unknown): unknown[] {
  const { type, data } = fieldsOf(fieldsOf(state)._currentStep);
  if (type !== 'next_step_interruption') return [];
  const agent = fieldsOf(agentOf(state));
  return listOf(fieldsOf(data).interruptions).filter((item) => {
    const own = fieldsOf(item).agent;
    return own === agent || fieldsOf(own).name === agent.name;
  });
}

function waitingCallOf(item: unknown): WaitingCall | undefined {
  const raw = fieldsOf(fieldsOf(item).rawItem);
  // A call that the provider makes, for which the item is a question, has its name there.
  const hosted = raw.type === 'hosted_tool_call' ? fieldsOf(raw.providerData) : {};
  const toolCallId = textOf(raw.callId) ?? textOf(raw.id) ?? textOf(hosted.id);
  if (toolCallId === undefined) return undefined;
  return {
    toolCallId,
    toolName: textOf(hosted.name) ?? nameOf(item) ?? 'unknown',
    args: textOf(raw.arguments) ?? textOf(hosted.arguments),
  };
}

function nameOf(item: unknown): string | undefined {
  const { name, rawItem } = fieldsOf(item);
  return textOf(name) ?? textOf(fieldsOf(rawItem).name);
}

/** The SDK's own answer to whether the call may run. */
function decisionOf(state: unknown, item: unknown, { toolCallId: callId }: WaitingCall): boolean | undefined {
  const context = fieldsOf(state)._context as {
    isToolApproved?(call: object): unknown;
    _getHostedMcpApprovalStatus?(item: unknown): unknown;
  };
  const { agent, functionToolStateKey, rawItem } = fieldsOf(item);
  const toolName = nameOf(item);
  const known = textOf(functionToolStateKey) ?? toolName;
  const hosted =
    fieldsOf(rawItem).type === 'hosted_tool_call' ? context._getHostedMcpApprovalStatus?.(item) : undefined;
  const decided =
    hosted ??
    context.isToolApproved?.({ toolName: known, callId, agent }) ??
    context.isToolApproved?.({ toolName, callId });
  return typeof decided === 'boolean' ? decided : undefined;
}
