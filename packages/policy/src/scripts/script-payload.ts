import type { HookContext, HookEvent } from '../hooks/hook.js';

/** Names of our events in Hermes Agent's shell hooks. */
const HERMES_EVENTS: Readonly<Record<HookEvent, string>> = {
  SessionStart: 'on_session_start',
  PreToolUse: 'pre_tool_call',
  PostToolUse: 'post_tool_call',
};

export type ScriptFormat = 'claude' | 'hermes';

/**
 * What a script reads on its standard input: one JSON object with the fields of Claude Code's hooks and of Hermes Agent's
 * shell hooks together. They differ in the name of the event alone.
 */
export function scriptPayload(context: HookContext, format: ScriptFormat, cwd: string): string {
  const isPost = context.event === 'PostToolUse';
  const payload = {
    hook_event_name: format === 'hermes' ? HERMES_EVENTS[context.event] : context.event,
    session_id: context.sessionId,
    cwd,
    tool_name: context.event === 'SessionStart' ? undefined : context.tool,
    tool_input: context.event === 'SessionStart' ? undefined : context.args,
    tool_use_id: context.callId || undefined,
    tool_response: isPost ? context.result : undefined,
    profile: context.profile,
    extra: {
      tool_call_id: context.callId,
      turn_id: context.turnId,
      task_id: context.taskId,
      agent: context.agent,
      child_roles: context.childRoles,
      platform: context.platform,
      user: context.user,
      decision_id: context.decisionId,
      digest: context.digest,
      evaluation: context.evaluation,
      ...(isPost ? { status: context.status, error_type: context.errorType, duration_ms: context.durationMs } : {}),
    },
  };
  const text = JSON.stringify(payload);
  // Arguments that JSON would change in silence would be judged as others than those that run.
  if (!isExact(context.args)) throw new TypeError('arguments that JSON cannot say cannot be given to a script');
  return text;
}

function isExact(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object': {
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isExact);
      const prototype: unknown = Object.getPrototypeOf(value);
      return (
        (prototype === Object.prototype || prototype === null) &&
        !('toJSON' in value) &&
        Object.values(value).every(isExact)
      );
    }
    default:
      return false;
  }
}
