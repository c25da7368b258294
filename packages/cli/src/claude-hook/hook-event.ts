import type { HookRecord } from '@hermes-observer/core';

/** What Claude Code writes to the standard input of a hook: one JSON object. */
export type HookEvent = Readonly<Record<string, unknown>>;
type Fields = Record<string, unknown>;

/** How much of an event is passed on. `none` drops what people, models and tools said. */
export type HookCapture = 'none' | 'redacted' | 'full';

interface Call {
  readonly hook: string;
  readonly payload: Fields;
  /** Fields that are passed on only if content is. */
  readonly content?: Fields;
}

/** Events that make records, by what they become. All others say nothing that spans have. */
const CALLS: Readonly<Record<string, (event: HookEvent) => readonly Call[]>> = {
  SessionStart: ({ model }) => [{ hook: 'on_session_start', payload: { model } }],
  UserPromptSubmit: ({ prompt }) => [{ hook: 'pre_llm_call', payload: {}, content: { user_message: prompt } }],
  PreToolUse: (event) => [{ hook: 'pre_tool_call', payload: toolOf(event), content: { args: event.tool_input } }],
  PostToolUse: (event) => [...startedIn(event), toolEnd(event, { status: 'ok' }, { result: event.tool_response })],
  PostToolUseFailure: (event) => [
    toolEnd(
      event,
      event.is_interrupt === true
        ? { status: 'cancelled', error_type: 'user_interrupt' }
        : { status: 'error', error_type: 'tool_error' },
      { error_message: event.error },
    ),
  ],
  // A call that was denied has no event of its own. Here the calls end that have not; a second end changes nothing.
  PostToolBatch: ({ tool_calls: calls }) =>
    (Array.isArray(calls) ? (calls as HookEvent[]) : []).map((call) =>
      toolEnd(call, { status: 'blocked', error_type: 'permission_denied', duration_ms: 0 }, {}),
    ),
  Stop: ({ last_assistant_message: said }) => [
    { hook: 'post_llm_call', payload: {}, content: { assistant_response: said } },
    { hook: 'on_session_end', payload: { completed: true, failed: false, interrupted: false } },
  ],
  StopFailure: ({ error }) => [
    {
      hook: 'on_session_end',
      payload: { completed: false, failed: true, interrupted: false },
      content: { error_message: error },
    },
  ],
  SubagentStart: (event) => [{ hook: 'subagent_start', payload: childOf(event) }],
  // Work of Claude Code itself, as a compaction, ends like a subagent that has no name and never started.
  SubagentStop: (event) =>
    event.agent_type === ''
      ? []
      : [
          {
            hook: 'subagent_stop',
            payload: { ...childOf(event), child_status: 'completed' },
            content: { child_summary: event.last_assistant_message },
          },
        ],
  // A turn that was interrupted has no event of its own. One that has ended stays as it is.
  SessionEnd: ({ reason, prompt_id: turn }) => [
    ...(turn === undefined
      ? []
      : [{ hook: 'on_session_end', payload: { completed: false, failed: false, interrupted: true } }]),
    { hook: 'on_session_finalize', payload: { reason } },
  ],
};

/** The events that a hook should be installed for. */
export const HOOK_EVENTS: readonly string[] = Object.keys(CALLS);

function toolOf({ tool_name: name, tool_use_id: id }: HookEvent): Fields {
  return { tool_name: name, tool_call_id: id };
}

function toolEnd(event: HookEvent, outcome: Fields, content: Fields): Call {
  const payload = { ...toolOf(event), duration_ms: event.duration_ms, ...outcome };
  return { hook: 'post_tool_call', payload, content: { args: event.tool_input, ...content } };
}

/**
 * A subagent that the call has sent to work in the background. The event of its own start comes at the same time, in a process of
 * its own: whichever is first opens it, and this one knows whose call it works for.
 */
function startedIn(event: HookEvent): readonly Call[] {
  const { tool_response: response, tool_input: input, tool_use_id: call } = event;
  const { isAsync, agentId } = fieldsOf(response);
  if (isAsync !== true || typeof agentId !== 'string' || typeof event.agent_id === 'string') return [];
  const child = childOf({ ...event, agent_id: agentId, agent_type: fieldsOf(input).subagent_type });
  return [{ hook: 'subagent_start', payload: { ...child, parent_tool_call_id: call } }];
}

const fieldsOf = (value: unknown): HookEvent =>
  typeof value === 'object' && value !== null ? (value as HookEvent) : {};

/** The session that a child's own events go by: a child has no session of its own in Claude Code. */
const childSession = ({ session_id: session, agent_id: agent }: HookEvent) => `${session}:${agent}`;

function childOf(event: HookEvent): Fields {
  const { session_id: session, prompt_id: turn, agent_id: agent, agent_type: role } = event;
  return {
    parent_session_id: session,
    parent_turn_id: turn,
    child_session_id: childSession(event),
    child_subagent_id: agent,
    child_role: role,
  };
}

/**
 * Records of one event, none for an event that says nothing. `time` is in microseconds since 1970. Records have no number
 * and no producer: each event is a process of its own.
 */
export function recordsOf(event: HookEvent, time: number, capture: HookCapture, traceparent?: string): HookRecord[] {
  const name = event.hook_event_name;
  const calls = typeof name === 'string' && Object.hasOwn(CALLS, name) ? CALLS[name]?.(event) : undefined;
  return (calls ?? []).map(({ hook, payload, content }, i) => ({
    hook,
    time_unix_nano: `${time + i}000`,
    payload: { ...idsOf(event, hook), ...payload, ...(capture === 'none' ? {} : content) },
    ...(traceparent !== undefined && { trace_context: { traceparent } }),
  }));
}

/** Whose event it is. Inside a child, `prompt_id` is the parent's, and does not tell. */
function idsOf(event: HookEvent, hook: string): Fields {
  const platform = 'claude_code';
  if (hook.startsWith('subagent_')) return { platform };
  if (typeof event.agent_id === 'string') return { session_id: childSession(event), platform };
  return { session_id: event.session_id, turn_id: event.prompt_id, platform };
}

/** What policy is asked about an event; `undefined` for one that is neither a call about to run nor its result. */
export function questionOf(event: HookEvent): { readonly hook: string; readonly payload: Fields } | undefined {
  const name = event.hook_event_name;
  if (name !== 'PreToolUse' && name !== 'PostToolUse') return undefined;
  const hook = name === 'PreToolUse' ? 'pre_tool_call' : 'transform_tool_result';
  const about =
    typeof event.agent_id === 'string' ? { ...childOf(event), child_roles: [event.agent_type] } : { child_roles: [] };
  const end =
    name === 'PreToolUse' ? {} : { status: 'ok', result: event.tool_response, duration_ms: event.duration_ms };
  return { hook, payload: { ...idsOf(event, hook), ...about, ...toolOf(event), args: event.tool_input ?? {}, ...end } };
}

/** A decision of the hook's own. */
export function decisionRecord(
  { session_id, turn_id, tool_call_id }: Fields,
  own: { readonly outcome: string; readonly kind: string },
  onError: string,
): HookRecord {
  const payload = { session_id, turn_id, tool_call_id, gate: 'hermes-observer-hook', ...own, on_error: onError };
  return { hook: 'observer_policy_decision', time_unix_nano: `${Date.now()}000000`, payload };
}
