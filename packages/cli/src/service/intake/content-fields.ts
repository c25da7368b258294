import { type HookRecord, redactValue, snapshot } from '@hermes-observer/core';

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

/** The record without its content. What assembly would tell from a result is told before that goes. */
export function withoutContent(record: HookRecord): HookRecord {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record.payload)) {
    if (name === 'error') kept[name] = withoutMessage(value);
    else if (!CONTENT.has(name)) kept[name] = value;
  }
  const status = kept.result_status ?? preciseStatus(record.payload.result);
  if (status !== undefined) kept.result_status = status;
  return { ...record, payload: kept };
}

/** The record with its content bounded, secrets and personal data in it masked. */
export function withMaskedContent(record: HookRecord): HookRecord {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record.payload)) {
    kept[name] =
      name === 'error' || CONTENT.has(name) ? redactValue(snapshot(value, { bytes: LONGEST_RESULT })) : value;
  }
  return { ...record, payload: kept };
}

function withoutMessage(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined;
  const { message: _, ...kept } = error as Record<string, unknown>;
  return kept;
}

const PRECISE: ReadonlySet<unknown> = new Set(['blocked', 'cancelled', 'timeout']);
/** A refusal is short. */
const LONGEST_RESULT = 262_144;

/** The top-level `status` of a JSON result, if it says more than that there was an error. */
function preciseStatus(result: unknown): unknown {
  let value = result;
  if (typeof result === 'string') {
    if (result.length > LONGEST_RESULT || !result.includes('"status"')) return undefined;
    try {
      value = JSON.parse(result);
    } catch {
      return undefined;
    }
  }
  const status = typeof value === 'object' && value !== null ? (value as { status?: unknown }).status : undefined;
  return PRECISE.has(status) ? status : undefined;
}
