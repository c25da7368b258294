import { type HookRecord, parseRecord } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import type { HistoryPort } from '../service/ports.js';
import { SPAN_KIND } from '../traces/span-kind.js';
import { textOf } from '../traces/span-source.js';
import type { StoredSpan } from '../traces/stored-span.js';
import type { Trace } from '../traces/trace.js';

const MOST_SPAN_RECORDS = 50;
const MOST_SPAN_BYTES = 256 * 1024;

/** Lines of the journal that belong to a trace, in their order. */
export async function* linesOf(trace: Trace, history: HistoryPort): AsyncGenerator<string, void, void> {
  const { places } = trace;
  for (let i = 0; i < places.length; i += 2) {
    const [first, count] = [places[i] as number, places[i + 1] as number];
    for await (const { line } of history.lines(first, first + count)) yield line.toString();
  }
}

/** Whether any record of a trace is still kept. */
export function hasLines({ places }: Trace, { oldestRecord }: HistoryPort): boolean {
  const last = places.length - 2;
  return last >= 0 && (places[last] as number) + (places[last + 1] as number) > oldestRecord;
}

/** The records that a span was made of, as far as they say so: at most 50, and 256 KiB. */
export async function recordsOf(span: StoredSpan, trace: Trace, history: HistoryPort): Promise<HookRecord[]> {
  const isOf = matcherOf(span);
  const found: HookRecord[] = [];
  let bytes = 0;
  for await (const line of linesOf(trace, history)) {
    const { record } = parseRecord(line);
    if (record === undefined || !isOf(record)) continue;
    bytes += line.length;
    if (bytes > MOST_SPAN_BYTES) break;
    found.push(record);
    if (found.length === MOST_SPAN_RECORDS) break;
  }
  return found;
}

function matcherOf({ kind, source: { attributes } }: StoredSpan): (record: HookRecord) => boolean {
  const isSame = (value: unknown, name: string) => value !== undefined && value === textOf(attributes, name);
  switch (kind) {
    case SPAN_KIND.tool:
      return ({ payload }) => isSame(payload.tool_call_id, semconv.ATTR_GEN_AI_TOOL_CALL_ID);
    case SPAN_KIND.request:
    case SPAN_KIND.auxiliary:
      return ({ hook, payload }) =>
        /request|auxiliary/.test(hook) && isSame(payload.api_request_id, semconv.ATTR_HERMES_API_REQUEST_ID);
    case SPAN_KIND.child:
      return ({ hook, payload }) =>
        /subagent/.test(hook) &&
        (isSame(payload.child_subagent_id, semconv.ATTR_GEN_AI_AGENT_ID) ||
          isSame(payload.child_session_id, semconv.ATTR_GEN_AI_CONVERSATION_ID));
    case SPAN_KIND.approval:
      return ({ hook }) => /approval/.test(hook);
    case SPAN_KIND.human:
      return ({ hook }) => /human_input/.test(hook);
    case SPAN_KIND.turn:
      return ({ hook, payload }) =>
        /llm_call|session/.test(hook) && isSame(payload.session_id, semconv.ATTR_GEN_AI_CONVERSATION_ID);
    default:
      return () => false;
  }
}
