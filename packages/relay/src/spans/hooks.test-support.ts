import { Hub } from '@hermes-observer/core';
import {
  type Capture,
  ObserverTracerProvider,
  type ReadableSpan,
  SpanBridge,
  type SpanProcessor,
} from '@hermes-observer/otel';

/** Emits a hook, a second after the one before. */
export type Emit = (hook: string, payload: object) => void;

/** Spans of hooks, in the order in which they ended. */
export function spansOf(
  emitAll: (emit: Emit) => void,
  { capture = 'none', processors = [] }: { capture?: Capture; processors?: readonly SpanProcessor[] } = {},
): ReadableSpan[] {
  const spans: ReadableSpan[] = [];
  const collector: SpanProcessor = {
    onStart: () => {},
    onEnd: (span) => void spans.push(span),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const tracerProvider = new ObserverTracerProvider({ spanProcessors: [...processors, collector] });
  const bridge = new SpanBridge({ tracerProvider, capture });
  const hub = new Hub();
  bridge.attach(hub);
  let seconds = 1_800_000_000;
  emitAll((hook, payload) => hub.emit(hook, payload as never, { time: [seconds++, 0] }));
  bridge.closeAll();
  return spans;
}

export const TURN = { session_id: 's-1', turn_id: 't-1' };

/** One model request that asks for calls. */
export function request(
  emit: Emit,
  id: string,
  calls: readonly (readonly [id: string, name: string])[] = [],
  of = TURN,
): void {
  const ids = { ...of, api_request_id: id, model: 'm-1', provider: 'openai', api_mode: 'chat_completions' };
  emit('pre_api_request', { ...ids, request: { body: { messages: [{ role: 'user', content: 'Which files?' }] } } });
  const tool_calls = calls.map(([call, name]) => ({ id: call, function: { name, arguments: '{"path":"."}' } }));
  emit('post_api_request', {
    ...ids,
    response_model: 'm-1',
    finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
    usage: { prompt_tokens: 10, output_tokens: 2, cache_read_tokens: 4 },
    assistant_message: { role: 'assistant', content: calls.length > 0 ? '' : 'One.', tool_calls },
  });
}

/** One tool call, with what happens inside it. */
export function tool(emit: Emit, id: string, name: string, end: object = {}, inside = () => {}, of = TURN): void {
  const ids = { ...of, tool_call_id: id, tool_name: name, args: { path: '.' } };
  emit('pre_tool_call', ids);
  inside();
  emit('post_tool_call', { ...ids, status: 'ok', result: 'notes.txt', ...end });
}

/** A turn with one call. */
export function turn(emit: Emit, of = TURN): void {
  emit('pre_llm_call', { ...of, user_message: 'Which files?', model: 'm-1' });
  request(emit, `${of.turn_id}-1`, [['c-1', 'list_files']], of);
  tool(emit, 'c-1', 'list_files', {}, () => {}, of);
  request(emit, `${of.turn_id}-2`, [], of);
  emit('post_llm_call', { ...of, assistant_response: 'One.' });
  emit('on_session_end', { ...of, completed: true });
}
