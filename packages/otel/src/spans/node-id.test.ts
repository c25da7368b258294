import { formatUnixNano, type HookRecord } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { type DumpedSpan, replay } from '../bridge/span-dump.test-support.js';
import { hashParts, spanId, traceIdOf } from './span-id.js';

const ids = { turn_id: 't', session_id: 's' };

function spans(...calls: [string, Record<string, unknown>][]): DumpedSpan[] {
  const records = calls.map(
    ([hook, payload], i): HookRecord => ({
      hook,
      payload,
      time_unix_nano: formatUnixNano([i + 1, 0]),
      producer: 'p',
      seq: i + 1,
    }),
  );
  return replay(records).spans;
}

/** The documented rule: trace id, kind, key parts and ordinal, joined by NUL. */
const id = (trace: string, kind: string, parts: string[], ordinal = 0) => {
  const last = parts[parts.length - 1] ?? '';
  return spanId(hashParts([trace, kind, ...parts.slice(0, -1)]), last, undefined, ordinal);
};
const find = (all: readonly DumpedSpan[], name: string) =>
  all
    .filter((span) => span.name === name)
    .map((span) => span.id)
    .sort();
const TRACE = traceIdOf('turn\0t');

describe('ids from correlation ids', () => {
  it('turn: turn_id', () => {
    expect(spans(['pre_llm_call', ids])).toMatchObject([{ trace: TRACE, id: id(TRACE, 'turn', ['t']) }]);
  });

  it('child below a turn: child_session_id, else an empty text and child_subagent_id; unlinked: a trace of its own', () => {
    const below = spans(
      ['pre_llm_call', ids],
      ['subagent_start', { parent_turn_id: 't', child_session_id: 'cs', child_subagent_id: 'a' }],
    );
    expect(find(below, 'invoke_agent subagent')).toEqual([id(TRACE, 'child', ['cs'])]);
    const own = traceIdOf('child\0cs');
    expect(spans(['subagent_start', { child_session_id: 'cs' }])).toMatchObject([
      { trace: own, id: id(own, 'child', ['cs']) },
    ]);
    const agent = traceIdOf('child\0a');
    expect(spans(['subagent_start', { child_subagent_id: 'a' }])).toMatchObject([
      { trace: agent, id: id(agent, 'child', ['', 'a']) },
    ]);
  });

  it('request: the same whose id another turn has made of its own', () => {
    const one = 'session_0:session_0:00000001';
    const two = 'session_0:session_0:0002';
    const request = { session_id: 's', api_request_id: `${one}:api:1`, model: 'm' };
    const all = spans(
      ['pre_api_request', { ...request, turn_id: one }],
      ['pre_llm_call', { session_id: 's', turn_id: two }],
      ['pre_api_request', { ...request, turn_id: two }],
    );
    const traces = [one, two].map((turn) => traceIdOf(`turn\0${turn}`));
    expect(find(all, 'chat m')).toEqual(
      [one, two].map((turn, i) => id(traces[i] ?? '', 'request', [turn, `${one}:api:1`])).sort(),
    );
  });

  it('request: scope, api_request_id, counting from 0', () => {
    const request = { ...ids, api_request_id: 'r', model: 'm' };
    const all = spans(['pre_api_request', request], ['post_api_request', request], ['pre_api_request', request]);
    expect(find(all, 'chat m')).toEqual(
      [id(TRACE, 'request', ['t', 'r'], 0), id(TRACE, 'request', ['t', 'r'], 1)].sort(),
    );
  });

  it('auxiliary: scope, api_request_id, else aux_task', () => {
    const all = spans(
      ['pre_auxiliary_call', { ...ids, api_request_id: 'x', aux_task: 'vision', model: 'one' }],
      ['pre_auxiliary_call', { ...ids, aux_task: 'vision', model: 'two' }],
    );
    expect(find(all, 'chat one')).toEqual([id(TRACE, 'auxiliary', ['t', 'x'])]);
    expect(find(all, 'chat two')).toEqual([id(TRACE, 'auxiliary', ['t', 'vision'])]);
  });

  it('tool: scope, tool_call_id; without one scope, empty, tool_name', () => {
    const all = spans(
      ['pre_tool_call', { ...ids, tool_call_id: 'c', tool_name: 'a' }],
      ['pre_tool_call', { ...ids, tool_name: 'b' }],
    );
    expect(find(all, 'execute_tool a')).toEqual([id(TRACE, 'tool', ['t', 'c'])]);
    expect(find(all, 'execute_tool b')).toEqual([id(TRACE, 'tool', ['t', '', 'b'])]);
  });

  it('approval: scope, tool_call_id, surface, pattern_key', () => {
    const all = spans(['pre_approval_request', { ...ids, tool_call_id: 'c', surface: 'cli', pattern_key: 'rm' }]);
    expect(find(all, 'approval rm')).toEqual([id(TRACE, 'approval', ['t', 'c', 'cli', 'rm'])]);
  });

  it('human input: scope, request_id; without one scope, empty, kind', () => {
    const all = spans(
      ['pre_llm_call', ids],
      ['on_human_input_request', { ...ids, kind: 'sudo', request_id: 'q' }],
      ['on_human_input_request', { ...ids, kind: 'clarify' }],
    );
    expect(find(all, 'human_input sudo')).toEqual([id(TRACE, 'human_input', ['t', 'q'])]);
    expect(find(all, 'human_input clarify')).toEqual([id(TRACE, 'human_input', ['t', '', 'clarify'])]);
  });

  it('of a child: its own turn as scope, else an empty text and its id', () => {
    const all = spans(
      ['pre_llm_call', ids],
      ['subagent_start', { parent_turn_id: 't', child_session_id: 'cs' }],
      ['pre_tool_call', { session_id: 'cs', tool_call_id: 'c', tool_name: 'early' }],
      ['pre_tool_call', { session_id: 'cs', turn_id: 'ct', tool_call_id: 'c', tool_name: 'later' }],
    );
    expect(find(all, 'execute_tool early')).toEqual([id(TRACE, 'tool', ['', 'cs', 'c'])]);
    expect(find(all, 'execute_tool later')).toEqual([id(TRACE, 'tool', ['ct', 'c'])]);
  });

  it('of a record that names nothing: a trace of producer and number', () => {
    const own = traceIdOf('record\0p\u00001');
    expect(spans(['pre_tool_call', { tool_name: 'x' }])).toMatchObject([
      { trace: own, id: id(own, 'tool', ['', '', 'x']) },
    ]);
  });

  it('differ between traces that have the same keys', () => {
    const all = spans(
      ['pre_tool_call', { turn_id: 't', tool_call_id: 'c', tool_name: 'x' }],
      ['pre_tool_call', { turn_id: 'u', tool_call_id: 'c', tool_name: 'x' }],
    );
    expect(new Set(all.map((span) => span.id)).size).toBe(4);
  });
});

describe('ids of broken text', () => {
  it('that differ in lone surrogates alone are different ids', () => {
    const all = spans(
      ['pre_llm_call', { turn_id: 'a\ud800' }],
      ['pre_tool_call', { turn_id: 'a\udc00', tool_call_id: 'c' }],
    );
    const keys = all.map((span) => `${span.trace} ${span.id}`);
    expect(new Set(keys).size).toBe(keys.length);
    const names = all.map(({ name }) => name).sort();
    expect(names).toEqual(['execute_tool', 'invoke_agent hermes', 'invoke_agent hermes']);
    expect(new Set(all.map((span) => span.trace)).size).toBe(2);
  });
});

describe('ids below one caller', () => {
  const trace_context = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  const record = (seq: number, payload: Record<string, unknown>, producer = 'p'): HookRecord => ({
    hook: 'pre_tool_call',
    time_unix_nano: `${seq}000000000`,
    producer,
    seq,
    payload,
    trace_context,
  });

  it('are of the caller’s trace, and differ between its turns', () => {
    const all = replay([
      record(1, { turn_id: 't', tool_call_id: 'c' }),
      record(2, { turn_id: 'u', tool_call_id: 'c' }),
    ]).spans;
    expect(new Set(all.map(({ trace }) => trace))).toEqual(new Set(['0af7651916cd43dd8448eb211c80319c']));
    expect(new Set(all.map((span) => span.id)).size).toBe(4);
  });

  it('differ between records that name nothing, of one producer and of two', () => {
    const all = replay([
      record(1, { tool_name: 'x' }),
      record(2, { tool_name: 'x' }),
      record(1, { tool_name: 'x' }, 'q'),
    ]).spans;
    expect(new Set(all.map((span) => span.id)).size).toBe(3);
  });
});
