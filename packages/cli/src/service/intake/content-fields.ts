import { type HookRecord, redactValue, snapshot } from '@hermes-observer/core';
import { statusInResult } from '@hermes-observer/otel';

/** Fields of the hooks that hold what people, models and tools said, or what could. */
const CONTENT: ReadonlySet<string> = new Set([
  'args',
  'assistant_message',
  'assistant_response',
  'child_goal',
  'child_summary',
  'choices',
  'command',
  'content',
  'conversation_history',
  'delta',
  'description',
  'error_message',
  'event',
  'goal',
  'message',
  'messages',
  'moa_references',
  'original_user_message',
  'prompt',
  'question',
  'request',
  'request_messages',
  'response',
  'response_text',
  'result',
  'summary',
  'system_prompt',
  'text',
  'tool_call_history',
  'user_message',
]);

/** Whether a payload has fields of content with something in them. */
export function hasContent({ payload }: HookRecord): boolean {
  for (const name in payload) {
    const value = payload[name];
    if (value === undefined || value === null || value === '') continue;
    if (CONTENT.has(name)) return true;
    if (name === 'error' && typeof (value as { message?: unknown }).message === 'string') return true;
  }
  return false;
}

/** The record without its content. What assembly would tell from a result is told before that goes. */
export function withoutContent(record: HookRecord): HookRecord {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record.payload)) {
    if (name === 'error') kept[name] = withoutMessage(value);
    else if (!CONTENT.has(name)) kept[name] = value;
  }
  const status = kept.result_status ?? statusInResult(record.payload.result);
  if (status !== undefined) kept.result_status = status;
  return { ...record, payload: kept };
}

/** Of one field that is masked; more of it is cut. */
const MOST_BYTES = 262_144;

/** The record with its content bounded, secrets and personal data in it masked. */
export function withMaskedContent(record: HookRecord): HookRecord {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record.payload)) {
    kept[name] = name === 'error' || CONTENT.has(name) ? redactValue(snapshot(value, { bytes: MOST_BYTES })) : value;
  }
  return { ...record, payload: kept };
}

function withoutMessage(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined;
  const { message: _, ...kept } = error as Record<string, unknown>;
  return kept;
}
