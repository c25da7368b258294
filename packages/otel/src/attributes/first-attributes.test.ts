import { HookMeta, type Payload } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { type DumpedSpan, Replay } from '../bridge/span-dump.test-support.js';
import { MOST_FIRST_ATTRIBUTES } from './first-attributes.js';

type Call = [hook: string, payload: Payload];

function spans(calls: readonly Call[], agentName?: string): DumpedSpan[] {
  const run = new Replay(agentName === undefined ? {} : { agentName });
  for (const [i, [hook, payload]] of calls.entries()) {
    run.bridge.handle(payload, new HookMeta(hook, [i + 1, 0], 'p', i + 1, undefined, 'work'));
  }
  run.bridge.closeAll();
  return run.spans;
}

const find = (all: readonly DumpedSpan[], name: string) => all.find((span) => span.name === name) as DumpedSpan;
const ids = { turn_id: 't', session_id: 's', task_id: 'k' };

describe('the spans of a turn', () => {
  const request = { ...ids, api_request_id: 'r', model: 'gpt-5', provider: 'openai', api_call_count: 1 };
  const asked = { ...request, base_url: 'http://h.test:81/v1', api_mode: 'chat_completions', max_tokens: 9 };
  const tool = { ...ids, tool_call_id: 'c', tool_name: 'terminal', api_request_id: 'r' };
  const all = spans(
    [
      ['pre_llm_call', { ...ids, model: 'gpt-5', platform: 'cli' }],
      ['pre_api_request', asked],
      [
        'post_api_request',
        { ...request, response_model: 'gpt-5-x', finish_reason: 'stop', usage: { prompt_tokens: 3 } },
      ],
      ['pre_tool_call', tool],
      ['pre_approval_request', { ...ids, tool_call_id: 'c', surface: 'cli', pattern_key: 'rm' }],
      [
        'post_approval_response',
        { ...ids, tool_call_id: 'c', surface: 'cli', pattern_key: 'rm', choice: 'once', decided_by: 'user' },
      ],
      ['post_tool_call', { ...tool, status: 'blocked', error_type: 'plugin_block', duration_ms: 7.5 }],
      [
        'subagent_start',
        {
          parent_turn_id: 't',
          parent_session_id: 's',
          child_session_id: 'cs',
          child_subagent_id: 'a',
          child_role: 'leaf',
        },
      ],
      ['subagent_stop', { child_session_id: 'cs', child_status: 'failed' }],
      ['on_human_input_request', { ...ids, kind: 'clarify', request_id: 'q' }],
      ['on_human_input_resolved', { ...ids, kind: 'clarify', request_id: 'q', outcome: 'provided' }],
      ['pre_auxiliary_call', { ...ids, aux_task: 'vision', model: 'mini', base_url: 'https://aux.test' }],
      ['on_session_end', { ...ids, failed: true, turn_exit_reason: 'error(of the user)' }],
    ],
    'hermes',
  );
  const own = { 'gen_ai.conversation.id': 's', 'hermes.turn.id': 't' };

  it('turn: name, kind and attributes', () => {
    const turn = find(all, 'invoke_agent hermes');
    expect(turn.kind).toBe(0);
    expect(turn.status).toMatchObject({ code: 2 });
    expect(turn.attributes).toEqual({
      ...own,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'hermes',
      'gen_ai.request.model': 'gpt-5',
      'hermes.platform': 'cli',
      'hermes.task.id': 'k',
      'hermes.turn.kind': 'user',
      'hermes.turn.outcome': 'failed',
      'hermes.turn.exit_reason': 'error',
      'hermes.turn.api_calls': 1,
      'hermes.turn.tool_calls': 1,
      'hermes.producer': 'p',
      'hermes.profile': 'work',
      'error.type': 'error',
    });
  });

  it('chat: name, kind and attributes', () => {
    const chat = find(all, 'chat gpt-5');
    expect(chat.kind).toBe(2);
    expect(chat.status).toEqual({ code: 0 });
    expect(chat.attributes).toEqual({
      ...own,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.request.max_tokens': 9,
      'gen_ai.response.model': 'gpt-5-x',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 3,
      'server.address': 'h.test',
      'server.port': 81,
      'hermes.api.request_id': 'r',
      'hermes.api.call_count': 1,
      'hermes.api.attempts': 1,
      'hermes.api.mode': 'chat_completions',
    });
  });

  it('auxiliary chat: its task and its server', () => {
    const aux = find(all, 'chat mini');
    expect(aux.kind).toBe(2);
    expect(aux.attributes).toMatchObject({
      'hermes.aux.task': 'vision',
      'server.address': 'aux.test',
      'hermes.incomplete': true,
    });
  });

  it('tool: name, kind and attributes; blocked is no error', () => {
    const span = find(all, 'execute_tool terminal');
    expect(span.kind).toBe(0);
    expect(span.status).toEqual({ code: 0 });
    expect(span.attributes).toEqual({
      ...own,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'terminal',
      'gen_ai.tool.call.id': 'c',
      'gen_ai.tool.type': 'function',
      'hermes.tool.status': 'blocked',
      'hermes.tool.blocked_by': 'plugin_block',
      'hermes.tool.duration_ms': 7.5,
      'hermes.api.request_id': 'r',
    });
  });

  it('approval and human input have no operation name', () => {
    expect(find(all, 'approval terminal').attributes).toEqual({
      ...own,
      'gen_ai.tool.call.id': 'c',
      'hermes.approval.surface': 'cli',
      'hermes.approval.pattern_key': 'rm',
      'hermes.approval.choice': 'once',
      'hermes.approval.decided_by': 'user',
    });
    expect(find(all, 'human_input clarify').attributes).toEqual({
      ...own,
      'hermes.human_input.kind': 'clarify',
      'hermes.human_input.outcome': 'provided',
    });
  });

  it('child: name, kind and attributes, the turn inherited', () => {
    const child = find(all, 'invoke_agent leaf');
    expect(child.kind).toBe(0);
    expect(child.status).toMatchObject({ code: 2 });
    expect(child.attributes).toEqual({
      'gen_ai.conversation.id': 'cs',
      'hermes.turn.id': 't',
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'leaf',
      'gen_ai.agent.id': 'a',
      'hermes.subagent.role': 'leaf',
      'hermes.subagent.status': 'failed',
      'hermes.parent.session.id': 's',
      'hermes.parent.turn.id': 't',
      'error.type': 'failed',
    });
  });

  it('has producer and profile on root spans alone', () => {
    const named = all.filter(({ attributes }) => 'hermes.producer' in attributes || 'hermes.profile' in attributes);
    expect(named.map(({ name }) => name)).toEqual(['invoke_agent hermes']);
  });
});

describe('names', () => {
  it('have the agent of the options', () => {
    expect(spans([['pre_llm_call', ids]], 'atlas')[0]?.name).toBe('invoke_agent atlas');
  });

  it('are the operation alone where model, tool or role is empty', () => {
    const all = spans([
      ['pre_llm_call', ids],
      ['pre_api_request', { ...ids, model: '' }],
      ['pre_tool_call', { ...ids, tool_call_id: 'c', tool_name: null }],
      ['subagent_start', { parent_turn_id: 't', child_session_id: 'cs', child_role: '' }],
      ['pre_approval_request', { ...ids, pattern_key: 'rm -rf' }],
    ]);
    expect(all.map(({ name }) => name).sort()).toEqual([
      'approval rm -rf',
      'chat',
      'execute_tool',
      'invoke_agent hermes',
      'invoke_agent subagent',
    ]);
  });
});

describe('a failed chat', () => {
  const request = { ...ids, api_request_id: 'r', model: 'm' };
  const all = spans([
    ['pre_api_request', request],
    [
      'api_request_error',
      { ...request, error: { type: 'RateLimit', message: 'secret words' }, status_code: 429, reason: 'rate_limit' },
    ],
  ]);

  it('has the error type, the status code and no usage', () => {
    const chat = find(all, 'chat m');
    expect(chat.status).toEqual({ code: 2 });
    expect(chat.attributes).toMatchObject({
      'error.type': 'RateLimit',
      'http.response.status_code': 429,
      'hermes.api.attempts': 1,
    });
  });

  it('has an event for the attempt, without the message', () => {
    expect(find(all, 'chat m').events).toEqual([
      {
        name: 'hermes.api.attempt_failed',
        time: [2, 0],
        attributes: {
          'hermes.api.attempt': 1,
          'error.type': 'RateLimit',
          'http.response.status_code': 429,
          'hermes.retry.reason': 'rate_limit',
          'hermes.api.attempt.duration_ms': 1000,
        },
      },
    ]);
  });
});

describe('a conversation', () => {
  it('is the record’s own session, else inherited; a root keeps its first', () => {
    const all = spans([
      ['pre_llm_call', ids],
      ['pre_tool_call', { turn_id: 't', session_id: 's2', tool_call_id: 'c', tool_name: 'own' }],
      ['pre_tool_call', { turn_id: 't', tool_call_id: 'd', tool_name: 'inherited' }],
    ]);
    const session = (name: string) => find(all, name).attributes['gen_ai.conversation.id'];
    expect([session('execute_tool own'), session('execute_tool inherited'), session('invoke_agent hermes')]).toEqual([
      's2',
      's',
      's',
    ]);
  });
});

describe('the time to the first chunk', () => {
  it('is counted from the record of the answering attempt’s start', () => {
    const request = { ...ids, api_request_id: 'r', model: 'm' };
    const all = spans([
      ['pre_api_request', request],
      ['post_api_request', { ...request, first_chunk_at: 1.25 }],
    ]);
    expect(find(all, 'chat m').attributes['gen_ai.response.time_to_first_chunk']).toBe(0.25);
  });
});

describe('the attributes a span starts with', () => {
  it('are never more than was promised', () => {
    const everything = {
      ...ids,
      api_request_id: 'r',
      model: 'm',
      provider: 'p',
      base_url: 'http://h.test:1',
      max_tokens: 1,
    };
    const run = new Replay({ capture: 'full' });
    let most = 0;
    run.processor.onStart = ({ attributes }) => {
      most = Math.max(most, Object.keys(attributes).length);
    };
    const more = {
      aux_task: 'x',
      api_mode: 'y',
      api_call_count: 1,
      system_prompt: 'z',
      request_messages: ['a'],
      assistant_message: { content: 'b' },
    };
    run.bridge.handle(
      { ...everything, ...more, user_message: 'u', assistant_response: 'v', platform: 'w' },
      new HookMeta('pre_llm_call', [1, 0], 'p', 1),
    );
    for (const hook of ['post_auxiliary_call', 'post_api_request', 'post_tool_call']) {
      run.bridge.handle(
        { ...everything, ...more, turn_id: '', session_id: 'x', args: {}, result: 'r' },
        new HookMeta(hook, [2, 0], 'p', undefined, undefined, 'w'),
      );
    }
    expect(most).toBeGreaterThan(8);
    expect(most).toBeLessThanOrEqual(MOST_FIRST_ATTRIBUTES);
  });
});
