import { AdapterTurn } from '@hermes-observer/adapter';
import * as agents from '@openai/agents';
import { context, createContextKey, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { instrumentOpenAIAgents } from './instrument.js';
import type { OpenAIAgentsOptions } from './options.js';
import { ModelCalls } from './run/model-calls.js';
import { ObservedRuns } from './run/observed-runs.js';
import { Run } from './run/run.js';
import { ToolCall } from './run/tool-call.js';
import {
  afterwards,
  call,
  endScenes,
  observed,
  planner,
  Scripted,
  sleep,
  TREE,
  text,
  weather,
} from './scene.test-support.js';

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

describe('an agent', () => {
  it('that is a tool of another is below its call, with the calls of its own', async () => {
    const scene = observed();
    const child = new agents.Agent({
      name: 'researcher',
      tools: [weather()],
      model: new Scripted([[call('call_1')], [text()]], 'child'),
    });
    const delegate = child.asTool({ toolName: 'delegate', toolDescription: 'd' });
    const steps = [[call('call_1', 'delegate', { input: 'dig' })], [text()]];
    await run(planner(steps, { tools: [delegate] }), 'x');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: tool_calls 10>5',
      '  execute_tool delegate: ok',
      '    invoke_agent researcher: completed',
      '      chat child: tool_calls 10>5',
      '      execute_tool weather: ok',
      '      chat child: stop 10>5',
      '  chat m: stop 10>5',
    ]);
  });

  it('that is a tool and asks a person has its question below the call, in both runs', async () => {
    const scene = observed();
    const child = new agents.Agent({
      name: 'researcher',
      tools: [weather(undefined, { needsApproval: true })],
      model: new Scripted([[call('call_2')], [text()]], 'child'),
    });
    const delegate = child.asTool({ toolName: 'delegate', toolDescription: 'd' });
    const agent = planner([[call('call_1', 'delegate', { input: 'dig' })], [text()]], { tools: [delegate] });
    const asked = await run(agent, 'x');
    for (const question of asked.interruptions) asked.state.approve(question);
    expect((await run(agent, asked.state)).finalOutput).toBe('Sunny.');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: tool_calls 10>5',
      '  execute_tool delegate: incomplete',
      '    invoke_agent researcher: completed',
      '      chat child: tool_calls 10>5',
      '      approval weather: pending',
      'invoke_agent hermes: completed',
      '  execute_tool delegate: ok',
      '    invoke_agent researcher: completed',
      '      execute_tool weather: ok',
      '        approval weather: once',
      '      chat child: stop 10>5',
      '  chat m: stop 10>5',
    ]);
  });

  it('that is handed the conversation and hands it on is a child of the run; the first one goes on in the run', async () => {
    const scene = observed();
    const end = new agents.Agent({
      name: 'end',
      tools: [weather()],
      model: new Scripted([[call('call_3')], [call('call_4', 'transfer_to_planner', {})]], 'e'),
    });
    const middle = new agents.Agent({
      name: 'middle',
      handoffs: [end],
      model: new Scripted([[call('call_2', 'transfer_to_end', {})]], 'd'),
    });
    const agent = planner([[call('call_1', 'transfer_to_middle', {})], [text()]], { handoffs: [middle] });
    end.handoffs = [agent];
    const { finalOutput } = await run(agent, 'x');
    expect(finalOutput).toBe('Sunny.');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: tool_calls 10>5',
      '  invoke_agent middle: completed',
      '    chat d: tool_calls 10>5',
      '  invoke_agent end: completed',
      '    chat e: tool_calls 10>5',
      '    execute_tool weather: ok',
      '    chat e: tool_calls 10>5',
      '  chat m: stop 10>5',
    ]);
  });

  it('that a guard asks is a child of the run', async () => {
    const scene = observed();
    const checker = new agents.Agent({ name: 'checker', model: new Scripted([[text('fine')]], 'c') });
    const guard = {
      name: 'g',
      execute: async () => ({
        tripwireTriggered: (await run(checker, 'is it?')).finalOutput !== 'fine',
        outputInfo: {},
      }),
    };
    await run(planner([[text()]], { inputGuardrails: [{ ...guard, runInParallel: false }] }), 'x');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  invoke_agent checker: completed',
      '    chat c: stop 10>5',
      '  chat m: stop 10>5',
    ]);
  });
});

describe('a call', () => {
  const statuses = async (scene: ReturnType<typeof observed>) => {
    const told = scene
      .payloads('post_tool_call')
      .map(({ tool_name, status, error_type }) => [tool_name, status, error_type]);
    const tree = await scene.tree();
    expect(tree.filter((line) => line.includes('incomplete'))).toEqual([]);
    return told;
  };

  it('whose arguments are no JSON, or whose tool there is none of, is an error', async () => {
    const scene = observed();
    const steps = [[call('call_1', 'weather', '{"city":'), call('call_2', 'weather')], [text()]];
    await run(planner(steps), 'x');
    const runner = new Runner({ toolNotFoundBehavior: 'return_error_to_model' });
    await runner.run(planner([[call('call_1', 'nothing')], [text()]]), 'x');
    expect((await statuses(scene)).sort()).toEqual([
      ['nothing', 'error', 'tool_not_found'],
      ['weather', 'error', 'invalid_tool_arguments'],
      ['weather', 'ok', null],
    ]);
  });

  it('that a guard of the tool refuses is blocked', async () => {
    const scene = observed();
    const guard = agents.defineToolInputGuardrail({
      name: 'g',
      run: async () => agents.ToolGuardrailFunctionOutputFactory.rejectContent('not there'),
    });
    await run(planner(undefined, { tools: [weather(undefined, { inputGuardrails: [guard] })] }), 'x');
    expect(await statuses(scene)).toEqual([['weather', 'blocked', 'tool_guardrail']]);
  });

  it('that was denied for good is blocked without a question', async () => {
    const scene = observed();
    const agent = planner([[call('call_1')], [call('call_2')], [text()]], {
      tools: [weather(undefined, { needsApproval: true })],
    });
    const asked = await run(agent, 'x');
    for (const question of asked.interruptions) asked.state.reject(question, { alwaysReject: true });
    await run(agent, asked.state);
    expect(await statuses(scene)).toEqual([
      ['weather', 'blocked', 'user_denied'],
      ['weather', 'blocked', 'user_denied'],
    ]);
    expect(scene.payloads('pre_approval_request')).toHaveLength(2);
  });

  it('whose error ends the run, that takes too long, or whose error the program words itself', async () => {
    const scene = observed();
    const fails = () => {
      throw new RangeError('no such city');
    };
    await expect(run(planner(undefined, { tools: [weather(fails, { errorFunction: null })] }), 'x')).rejects.toThrow();
    await run(planner(undefined, { tools: [weather(() => sleep(200), { timeoutMs: 10 })] }), 'x');
    const words = { errorFunction: () => 'No such city, try another.' };
    await run(planner(undefined, { tools: [weather(fails, words)] }), 'x');
    expect(await statuses(scene)).toEqual([
      ['weather', 'error', 'RangeError'],
      ['weather', 'timeout', 'ToolTimeoutError'],
      ['weather', 'error', 'RangeError'],
    ]);
  });

  it('that the provider runs is a tool; one of a shell is as well', async () => {
    const scene = observed();
    const search = {
      type: 'hosted_tool_call' as const,
      id: 'ws_1',
      name: 'web_search_call',
      status: 'completed',
      arguments: '{}',
      output: 'found',
    };
    const shell = agents.shellTool({ shell: { run: async () => ({ output: [] }) } });
    const action = { commands: ['ls'] };
    const shellCall = { type: 'shell_call' as const, callId: 'call_1', status: 'completed' as const, action };
    await run(planner([[search, shellCall], [text()]], { tools: [shell] }), 'x');
    expect(await statuses(scene)).toEqual([
      ['web_search_call', 'ok', null],
      ['shell', 'ok', null],
    ]);
  });

  it('keeps its tool the object it is', async () => {
    observed();
    const tool = weather();
    const { invoke } = tool;
    await run(planner(undefined, { tools: [tool] }), 'x');
    expect(tool.invoke).toBe(invoke);
    expect(Object.keys(tool)).toEqual(Object.keys(weather()));
  });
});

describe('a model', () => {
  it('stays the object it is, with spies of the program', async () => {
    const scene = observed();
    const model = { ...new Scripted([]), getResponse: vi.fn(), getStreamedResponse: vi.fn() };
    model.getResponse.mockImplementation(() => new Scripted([[text()]]).getResponse({} as never));
    await run(planner([], { model: model as never }), 'x');
    expect(model.getResponse).toHaveBeenCalledTimes(1);
    expect(vi.isMockFunction(model.getResponse)).toBe(true);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5']);
  });

  it('that asks another one is one request', async () => {
    const scene = observed();
    const inner = new Scripted([[text()], [text()]]);
    class Outer extends Scripted {
      override getResponse(request: agents.ModelRequest) {
        return inner.getResponse(request);
      }
    }
    await run(planner([], { model: inner }), 'x');
    await run(planner([], { model: new Outer([], 'outer') }), 'x');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: stop 10>5',
      'invoke_agent hermes: completed',
      '  chat outer: stop 10>5',
    ]);
  });

  it('that is frozen, or asked outside of a run, is left alone', async () => {
    const scene = observed();
    const { getResponse, getStreamedResponse } = Scripted.prototype;
    const frozen = Object.freeze({
      getResponse: (request: never) => Reflect.apply(getResponse, new Scripted([[text()]]), [request]),
      getStreamedResponse,
    });
    expect((await run(planner([], { model: frozen as never }), 'x')).finalOutput).toBe('Sunny.');
    await run(planner([[text()]]), 'x');
    await new Scripted([[text()]]).getResponse({} as never);
    expect(scene.warnings).toHaveLength(1);
    expect(scene.payloads('pre_api_request')).toHaveLength(1);
  });
});

describe('a stream', () => {
  it('that the program leaves, or cancels, is interrupted', async () => {
    const scene = observed();
    const start = () => run(planner([[text()]], { model: new Scripted([[text()]], 'm', 3) }), 'x', { stream: true });
    const left = await start();
    let read = 0;
    for await (const _ of left) if (++read === 3) break;
    await left.completed;
    const controller = new AbortController();
    const cancelled = await run(planner([], { model: new Scripted([], 'm', 3) }), 'x', {
      stream: true,
      signal: controller.signal,
    });
    await sleep(8);
    controller.abort();
    await cancelled.completed;
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: interrupted',
      '  chat m: cancelled streamed',
      'invoke_agent hermes: interrupted',
      '  chat m: cancelled streamed',
    ]);
  });

  it('that nobody reads ends with its run; one of a run with tools has all of it', async () => {
    const scene = observed();
    const unread = await run(planner(), 'x', { stream: true });
    await unread.completed;
    expect(unread.finalOutput).toBe('Sunny.');
    expect(await scene.tree()).toEqual(TREE.map((line) => line.replace('10>5', '10>5 streamed')));
  });

  it('that asks a person goes on as one', async () => {
    const scene = observed();
    const agent = planner(undefined, { tools: [weather(undefined, { needsApproval: true })] });
    const asked = await run(agent, 'x', { stream: true });
    await asked.completed;
    for (const question of asked.interruptions) asked.state.approve(question);
    const answered = await run(agent, asked.state, { stream: true });
    await answered.completed;
    expect(answered.finalOutput).toBe('Sunny.');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: tool_calls 10>5 streamed',
      '  approval weather: pending',
      'invoke_agent hermes: completed',
      '  execute_tool weather: ok',
      '    approval weather: once',
      '  chat m: stop 10>5 streamed',
    ]);
  });
});

describe('spans of the client', () => {
  it.each<[OpenAIAgentsOptions['frameworkSpans'], number, number]>([
    [undefined, 1, 2],
    ['keep', 0, 2],
    ['yield', 0, 0],
  ])('where they are made too, with %s: %i warnings, %i requests', async (frameworkSpans, warnings, requests) => {
    const scene = observed({ frameworkSpans });
    const create = Object.assign(() => {}, { __wrapped: true });
    const model = Object.assign(new Scripted([[call('call_1')], [text()]]), { _client: { responses: { create } } });
    await run(planner([], { model }), 'x');
    expect(scene.warnings).toHaveLength(warnings);
    expect(scene.payloads('pre_api_request')).toHaveLength(requests);
    expect(scene.payloads('post_tool_call')).toHaveLength(1);
  });
});

describe('instrumenting', () => {
  it('twice with one observer makes one span each; with two observers each has its own', async () => {
    const [one, other] = [observed(), observed()];
    expect(instrumentOpenAIAgents({ agents, observer: one.observer })).toBe(one.end);
    await run(planner(), 'x');
    await run(planner(), 'x');
    expect(await one.tree()).toEqual([...TREE, ...TREE]);
    expect(await other.tree()).toEqual([...TREE, ...TREE]);
  });

  it('ends, in any order, and leaves nothing behind', async () => {
    const methods = () => [
      Runner.prototype.run,
      Object.hasOwn(Runner.prototype, 'emit'),
      Scripted.prototype.getResponse,
      Scripted.prototype.getStreamedResponse,
    ];
    const before = methods();
    const [one, other] = [observed(), observed()];
    await run(planner(), 'x');
    other.end();
    one.end();
    expect(methods()).toEqual(before);
    const [first, second] = [observed(), observed()];
    await run(planner(), 'x');
    first.end();
    second.end();
    first.end();
    await run(planner(), 'x');
    expect(await second.tree()).toEqual(TREE);
  });

  it('without a copy tells that one is loaded already', async () => {
    const scene = observed({ agents: undefined });
    expect(scene.warnings).toEqual([expect.stringContaining('pass it as `agents`')]);
  });
});

describe('a fault of the adapter', () => {
  const faults: [{ constructor: { name: string } }, string][] = [
    [ObservedRuns.prototype, 'start'],
    [ObservedRuns.prototype, 'returned'],
    [ObservedRuns.prototype, 'heard'],
    [ModelCalls.prototype, 'attempt'],
    [ModelCalls.prototype, 'prepare'],
    [Run.prototype, 'attempt'],
    [Run.prototype, 'answered'],
    [Run.prototype, 'toolStarts'],
    [Run.prototype, 'toolEnds'],
    [Run.prototype, 'agentStarts'],
    [Run.prototype, 'end'],
    [ToolCall.prototype, 'runs'],
    [ToolCall.prototype, 'returned'],
    [AdapterTurn.prototype, 'request'],
    [AdapterTurn.prototype, 'tool'],
    [AdapterTurn.prototype, 'emit'],
    [AdapterTurn.prototype, 'end'],
    [AdapterTurn.prototype, 'requestEnded'],
  ];

  it.each(faults.map(([prototype, name]) => [prototype.constructor.name, name, prototype] as const))(
    'stays inside: %s %s',
    async (_, name, prototype) => {
      const uncaught: unknown[] = [];
      const listener = (error: unknown) => uncaught.push(error);
      process.on('uncaughtException', listener);
      process.on('unhandledRejection', listener);
      const original = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
      let thrown = 0;
      afterwards(() => Object.defineProperty(prototype, name, original));
      Object.defineProperty(prototype, name, {
        ...original,
        value: () => {
          thrown++;
          throw new Error('adapter');
        },
      });
      observed();
      const { finalOutput, rawResponses } = await run(planner(), 'x');
      const streamed = await run(planner(), 'x', { stream: true });
      let events = 0;
      for await (const event of streamed) if (event.type === 'run_item_stream_event') events++;
      await sleep(5);
      process.off('uncaughtException', listener);
      process.off('unhandledRejection', listener);
      expect([finalOutput, rawResponses.length, streamed.finalOutput, events]).toEqual(['Sunny.', 2, 'Sunny.', 3]);
      expect(thrown).toBeGreaterThan(0);
      expect(uncaught).toEqual([]);
    },
  );
});
