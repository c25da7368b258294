import type { HookContext } from '../hooks/hook.js';

/** A context as the policy makes one. */
export function contextOf(more: Partial<HookContext> = {}): HookContext {
  return {
    event: 'PreToolUse',
    tool: 'terminal',
    args: {},
    callId: 'call-1',
    sessionId: 'session-1',
    turnId: '',
    taskId: '',
    agent: '',
    childRoles: [],
    platform: '',
    profile: '',
    user: '',
    metadata: {},
    decisionId: 'decision-1',
    digest: 'a'.repeat(64),
    signal: undefined,
    evaluation: false,
    ...more,
  };
}
