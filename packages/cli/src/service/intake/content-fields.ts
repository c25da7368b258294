import type { HookRecord } from '@hermes-observer/core';

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
    if (!CONTENT.has(name)) continue;
    const value = payload[name];
    if (value !== undefined && value !== null && value !== '') return true;
  }
  return false;
}

/**
 * The record without what no span shows and nothing is told from: all content but results, which may say how a call went.
 * Large texts that wait in memory cost more than all else.
 */
export function withoutUnread(record: HookRecord): HookRecord {
  const { payload } = record;
  let kept: Record<string, unknown> | undefined;
  for (const name in payload) {
    if (!CONTENT.has(name) || name === 'result') continue;
    kept ??= { ...payload };
    kept[name] = undefined;
  }
  return kept === undefined ? record : { ...record, payload: kept };
}

/** The record without its content. */
export function withoutContent(record: HookRecord): HookRecord {
  const kept = Object.entries(record.payload).filter(([name]) => !CONTENT.has(name));
  return { ...record, payload: Object.fromEntries(kept) };
}
