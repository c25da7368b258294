import { withSession } from '@hermes-observer/adapter';
import * as agents from '@openai/agents';
import { context, createContextKey, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, describe, expect, it } from 'vitest';
import { afterwards, call, endScenes, observed, planner, Scripted, TREE, text, weather } from './scene.test-support.js';

const { run, Runner } = agents;

afterEach(endScenes);

const only = <T>(all: readonly T[]): T => {
  expect(all).toHaveLength(1);
  return all[0] as T;
};

describe('a run', () => {
  it('has messages, answers, arguments, results and the whole usage in its records', async () => {
    const scene = observed();
    await run(
      planner(undefined, { instructions: 'Be short.', modelSettings: { maxTokens: 99 } }),
      'How is the weather?',
    );
    const [first, last] = scene.payloads('post_api_request');
    expect(only(scene.payloads('pre_llm_call'))).toMatchObject({ user_message: 'How is the weather?', model: 'm' });
    expect(scene.payloads('pre_api_request')[0]).toMatchObject({
      message_count: 1,
      max_tokens: 99,
      system_prompt: 'Be short.',
      request_messages: [{ role: 'user', content: 'How is the weather?' }],
    });
    expect(first).toMatchObject({
      usage: { prompt_tokens: 10, input_tokens: 4, output_tokens: 5, cache_read_tokens: 6, reasoning_tokens: 2 },
      response: {
        assistant_message: { tool_calls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }] },
      },
    });
    expect(last).toMatchObject({ response: { assistant_message: { content: 'Sunny.' } } });
    expect(only(scene.payloads('post_tool_call'))).toMatchObject({
      args: { city: 'Oslo' },
      result: { temperature: 21 },
      tool_call_id: 'call_1',
      api_request_id: first?.api_request_id,
    });
    expect(only(scene.payloads('post_llm_call'))).toMatchObject({ assistant_response: 'Sunny.' });
    const spans = await scene.spans();
    expect(spans.find(({ name }) => name.startsWith('invoke'))?.attributes).toMatchObject({
      'hermes.profile': 'planner',
    });
  });

  it('has calls and results in the messages of the next request, under the ids of its answers', async () => {
    const scene = observed({}, { capture: 'full' });
    await run(planner([[{ ...call('call_1'), id: 'fc_1' }], [text()]]), 'How is the weather?');
    const last = (await scene.spans()).filter(({ name }) => name === 'chat m').at(-1);
    expect(JSON.parse(String(last?.attributes['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'How is the weather?' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } }],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: '{"temperature":21}' }] },
    ]);
  });

  it('that keeps what is sensitive out of traces tells usage and status, and nothing of what was said', async () => {
    const scene = observed();
    const fails = () => {
      throw new RangeError('no such city');
    };
    const runner = new Runner({ traceIncludeSensitiveData: false });
    await runner.run(planner(undefined, { tools: [weather(fails)] }), 'How is the weather?');
    await runner.run(planner(undefined, { tools: [weather()] }), 'How is the weather?');
    const bad = Object.assign(new Error('How is it?'), { status: 400 });
    await expect(runner.run(planner([bad]), 'How is the weather?')).rejects.toBe(bad);
    const told = ['pre_llm_call', 'pre_api_request', 'post_api_request', 'api_request_error', 'pre_tool_call'];
    for (const hook of [...told, 'post_tool_call', 'post_llm_call', 'on_session_end']) {
      expect(scene.payloads(hook).length, hook).toBeGreaterThan(0);
      expect(JSON.stringify(scene.payloads(hook)), hook).not.toMatch(/Sunny|Oslo|How is|no such city|temperature/);
    }
    expect(await scene.tree()).toEqual([
      ...TREE.map((line) => line.replace('weather: ok', 'weather: error ERROR')),
      ...TREE,
      'invoke_agent hermes: failed ERROR',
      '  chat m: x400 ERROR',
    ]);
  });

  it('in a turn of the program is part of its trace, and its spans are active for the OpenTelemetry API', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    afterwards(() => context.disable());
    const scene = observed();
    const key = createContextKey('of the program');
    let active: unknown;
    let own: unknown;
    const look = () => {
      active = trace.getActiveSpan()?.spanContext().spanId;
      own = context.active().getValue(key);
      return 'x';
    };
    await context.with(context.active().setValue(key, 'there'), () =>
      scene.observer.turn({}, () => run(planner(undefined, { tools: [weather(look)] }), 'x').then(() => 'done')),
    );
    const spans = await scene.spans();
    expect(active).toBe(spans.find(({ name }) => name.startsWith('execute_tool'))?.spanContext().spanId);
    expect(own).toBe('there');
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', ...TREE.map((line) => `  ${line}`)]);
  });

  it('at the same time as others has its own requests and tools', async () => {
    const scene = observed();
    const one = (city: string) =>
      run(
        new agents.Agent({
          name: 'planner',
          tools: [weather()],
          model: new Scripted([[call('call_1', 'weather', { city })], [text()]], city, 3),
        }),
        'x',
      );
    await Promise.all(['a', 'b', 'c'].map(one));
    const tree = await scene.tree();
    for (const city of ['a', 'b', 'c']) {
      const at = tree.indexOf(`  chat ${city}: tool_calls 10>5`);
      expect(tree.slice(at - 1, at + 3)).toEqual(TREE.map((line) => line.replace('chat m', `chat ${city}`)));
    }
  });

  it('that is over its turns, or whose guard says no, has failed of that', async () => {
    const scene = observed();
    await expect(run(planner(), 'x', { maxTurns: 1 })).rejects.toThrow('Max turns');
    const guard = { name: 'g', execute: async () => ({ tripwireTriggered: true, outputInfo: {} }) };
    await expect(run(planner(undefined, { inputGuardrails: [guard] }), 'x')).rejects.toThrow('guardrail');
    await expect(run(planner(undefined, { outputGuardrails: [guard] as never }), 'x')).rejects.toThrow('guardrail');
    expect(scene.payloads('on_session_end').map(({ turn_exit_reason }) => turn_exit_reason)).toEqual([
      'MaxTurnsExceededError',
      'InputGuardrailTripwireTriggered',
      'OutputGuardrailTripwireTriggered',
    ]);
    const tree = await scene.tree();
    expect(tree.filter((line) => line.includes('incomplete'))).toEqual([]);
  });
});

describe('a session', () => {
  it('is the group of the runner or trace, else the conversation, else that of the session object, else of withSession', async () => {
    const scene = observed();
    const session = new agents.MemorySession({ sessionId: 's-session' });
    const answer = () => planner([[text()]]);
    const conversationId = 's-conversation';
    await withSession({ sessionId: 's-with' }, async () => {
      await new Runner({ groupId: 's-group' }).run(answer(), 'x', { session });
      await run(answer(), 'x', { conversationId });
      await run(answer(), 'x', { session });
      await run(answer(), 'x');
    });
    await run(answer(), 'x');
    const ids = scene.payloads('pre_llm_call').map(({ session_id }) => session_id);
    expect(ids.slice(0, 4)).toEqual(['s-group', 's-conversation', 's-session', 's-with']);
    expect(ids[4]).toMatch(/^session_/);
  });

  it('is that of the run that asked, where a run goes on without being told of one', async () => {
    const scene = observed();
    const agent = planner(undefined, { tools: [weather(undefined, { needsApproval: true })] });
    const asked = await run(agent, 'x');
    for (const question of asked.interruptions) asked.state.approve(question);
    await run(agent, await agents.RunState.fromString(agent, asked.state.toString()));
    const ids = scene.payloads('pre_llm_call').map(({ session_id }) => session_id);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });
});
