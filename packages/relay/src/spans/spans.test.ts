import { JSON_ENCODING, TraceRequests } from '@hermes-observer/otel';
import { describe, expect, it } from 'vitest';
import { request, spansOf, TURN, tool, turn } from './hooks.test-support.js';
import { asObject, callsOf, messagesOf, textOf } from './messages.js';
import { spansOfRequest } from './otlp-json.js';
import { roleOf } from './role.js';
import { factsOf } from './span-facts.js';
import { spanUuid } from './span-uuid.js';
import { endMicros, timestamp } from './times.js';

describe('roleOf', () => {
  it('tells spans of each kind, and others', () => {
    const spans = spansOf((emit) => {
      emit('pre_llm_call', { ...TURN, user_message: 'Hello', model: 'm-1' });
      request(emit, 'r-1', [['c-1', 'delegate_task']]);
      const child = { parent_session_id: 's-1', parent_turn_id: 't-1', child_session_id: 's-2', child_role: 'leaf' };
      tool(emit, 'c-1', 'delegate_task', {}, () => {
        emit('pre_approval_request', { ...TURN, tool_call_id: 'c-1', tool_name: 'delegate_task', surface: 'cli' });
        emit('post_approval_response', { ...TURN, tool_call_id: 'c-1', surface: 'cli', choice: 'once' });
        emit('subagent_start', child);
        emit('subagent_stop', { ...child, child_status: 'completed' });
      });
      emit('on_human_input_request', { ...TURN, kind: 'clarify', prompt: 'Which?' });
      emit('on_human_input_resolved', { ...TURN, kind: 'clarify', outcome: 'answered' });
      const auxiliary = { ...TURN, api_request_id: 'a-1', aux_task: 'title_generation', model: 'm-2' };
      emit('pre_auxiliary_call', auxiliary);
      emit('post_auxiliary_call', auxiliary);
      emit('on_session_end', { ...TURN, completed: true });
    });
    expect(Object.fromEntries(spans.map((span) => [span.name, roleOf(span)]))).toEqual({
      'chat m-1': 'chat',
      'approval delegate_task': 'approval',
      'invoke_agent leaf': 'child',
      'execute_tool delegate_task': 'tool',
      'human_input clarify': 'human_input',
      'chat m-2': 'auxiliary',
      'invoke_agent hermes': 'turn',
    });
    expect(roleOf({ name: 'approval of a form', attributes: { 'http.route': '/' } })).toBe('other');
    expect(roleOf({ name: 'embed', attributes: { 'gen_ai.operation.name': 'embeddings' } })).toBe('other');
  });
});

it('a span reads the same as it is and out of OTLP/JSON', () => {
  const spans = spansOf(turn, { capture: 'full' });
  const requests = [...new TraceRequests(JSON_ENCODING, 1 << 20).of(spans)];
  const read = requests.flatMap(({ body }) => spansOfRequest(body));
  expect(read).toHaveLength(4);
  // What is absent is no member there.
  expect(read).toEqual(JSON.parse(JSON.stringify(spans.map(factsOf))));
});

it('a parent of another process is told from one of this process', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const [chat, root] = spansOf((emit) => {
    emit('pre_llm_call', { ...TURN, user_message: 'Hello' });
    request(emit, 'r-1');
    emit('on_session_end', { ...TURN, completed: true });
  }).map(factsOf);
  expect(chat?.parentId).toBe(root?.spanId);
  expect(root?.parentId).toBeUndefined();
  const far = { traceId, spanId: 'b7ad6b7169203331', parentSpanId: '00f067aa0ba902b7', flags: 0x301, name: 'far' };
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [far, { ...far, flags: 0x101 }] }] }] });
  expect(spansOfRequest(body).map(({ parentId, remoteParentId }) => [parentId, remoteParentId])).toEqual([
    [undefined, '00f067aa0ba902b7'],
    ['00f067aa0ba902b7', undefined],
  ]);
});

describe('ids and times', () => {
  it('ids are UUIDs of version 5, the same each time, and differ by span, trace and part', () => {
    const ids = [spanUuid('a', 'b'), spanUuid('a', 'c'), spanUuid('c', 'b'), spanUuid('a', 'b', '/event/0')];
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    // Files that exist name their parents by it.
    expect(spanUuid('0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331')).toBe(
      'ab07b3e9-9f14-5eb3-a9a7-0bdc07243098',
    );
  });

  it('times have microseconds, and an end is after its start', () => {
    expect(timestamp(1_800_000_000_000_001)).toBe('2027-01-15T08:00:00.000001Z');
    expect(endMicros({ start: [1, 999], end: [1, 1000] })).toBe(1_000_001);
    expect(endMicros({ start: [1, 1000], end: [1, 1999] })).toBe(1_000_002);
    expect(endMicros({ start: [2, 0], end: [1, 0] })).toBe(2_000_001);
  });
});

describe('messages', () => {
  it('what is no list of messages is none', () => {
    for (const value of [undefined, 7, '', '{', '{"role":"user"}', '[1,null]']) expect(messagesOf(value)).toEqual([]);
  });

  it('text, and calls whose arguments are always an object', () => {
    const parts = [
      { type: 'text', content: 'One' },
      { type: 'text', content: 'two' },
      { type: 'tool_call', id: 'c-1', name: 'a', arguments: '[1]' },
      { type: 'tool_call', name: 'without an id' },
    ];
    const [message] = messagesOf(JSON.stringify([{ role: 'assistant', parts }]));
    expect(textOf(message as never)).toBe('One\n\ntwo');
    expect(callsOf(message as never)).toEqual([{ id: 'c-1', name: 'a', arguments: { value: [1] } }]);
    expect([asObject('{"a":1}'), asObject('text'), asObject(null), asObject('')]).toEqual([
      { a: 1 },
      { value: 'text' },
      {},
      {},
    ]);
  });
});
