import type { HookRecord, Payload } from '@hermes-observer/core';

/** What the agent posts for one hook call. */
export interface WebhookBody {
  readonly hook: string;
  readonly deliveryId: string;
  /** Unix milliseconds, as the agent says. */
  readonly time: number;
  readonly hasFraction: boolean;
  readonly fields: Payload;
}

/** Live objects of the agent, which arrive as a text that says nothing, and whole histories. */
const LEFT_OUT = ['assistant_message', 'conversation_history', 'event', 'gateway', 'request_messages', 'session_store'];

/** `undefined` for what is no webhook of the agent. */
export function webhookBodyOf(value: unknown): WebhookBody | undefined {
  if (!isObject(value)) return undefined;
  const { hook_event_name: hook, delivery_id: deliveryId, timestamp } = value;
  if (typeof hook !== 'string' || hook === '' || typeof deliveryId !== 'string' || deliveryId === '') return undefined;
  if (deliveryId.length > 256 || typeof timestamp !== 'string') return undefined;
  const time = Date.parse(timestamp);
  if (!Number.isFinite(time)) return undefined;
  return { hook, deliveryId, time, hasFraction: /:\d\d\.\d/.test(timestamp), fields: value };
}

/**
 * The hook call as a record. Webhooks have no number and no producer, so a repeated one is known by its delivery alone.
 * Its time is the agent's; where that has whole seconds only, calls of one second keep the order they came in.
 */
export function recordOfWebhook({ hook, time, hasFraction, fields }: WebhookBody, now: number): HookRecord {
  const { extra, tool_name: toolName, tool_input: args, session_id: sessionId, cwd, profile } = fields;
  const payload: Record<string, unknown> = { ...(isObject(extra) ? extra : {}) };
  for (const name of LEFT_OUT) delete payload[name];
  if (toolName !== undefined && toolName !== null && toolName !== '') payload.tool_name ??= toolName;
  if (args !== undefined && args !== null) payload.args ??= args;
  if (typeof cwd === 'string' && cwd !== '') payload.cwd ??= cwd;
  // The agent takes `parent_session_id` out, and for these hooks puts it where the session would be.
  const name = /^subagent_(start|stop)$/.test(hook) ? 'parent_session_id' : 'session_id';
  if (typeof sessionId === 'string' && sessionId !== '') payload[name] ??= sessionId;
  const millis = hasFraction ? time : Math.min(Math.max(now, time), time + 999);
  return {
    hook,
    time_unix_nano: `${BigInt(millis) * 1_000_000n}`,
    payload,
    ...(typeof profile === 'string' && profile !== '' && { profile }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
