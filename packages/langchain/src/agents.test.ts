import { AdapterTurn, Guard, scopesOf } from '@hermes-observer/adapter';
import { BaseRetriever } from '@langchain/core/retrievers';
import { RunnableLambda } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { Command, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { context, createContextKey, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  agent,
  asks,
  call,
  ends,
  input,
  model,
  ONE,
  observed,
  only,
  says,
  streaming,
  TREE,
  wait,
  weather,
} from './scene.test-support.js';

describe('an agent', () => {
  it('has messages, answers, arguments, results and the whole usage in its records', async () => {
    const scene = observed();
    await agent({ name: 'planner', systemPrompt: 'Be short.' }).invoke(input());
    const [first, last] = scene.payloads('post_api_request');
    expect(only(scene.payloads('pre_llm_call'))).toMatchObject({ user_message: 'How is the weather?' });
    expect(scene.payloads('pre_api_request')[1]).toMatchObject({
      model: 'm',
      provider: 'mock',
      max_tokens: 99,
      system_prompt: 'Be short.',
      logical_call: true,
      message_count: 3,
      request_messages: [
        { role: 'user', content: 'How is the weather?' },
        { role: 'assistant', tool_calls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }] },
        { role: 'tool', content: '21', tool_call_id: 'call_1' },
      ],
    });
    expect(first).toMatchObject({
      finish_reason: 'tool_calls',
      usage: { prompt_tokens: 10, output_tokens: 5, cache_read_tokens: 6, cache_write_tokens: 1, reasoning_tokens: 2 },
      response: {
        assistant_message: { tool_calls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }] },
      },
    });
    expect(last).toMatchObject({ response_model: 'm-2026', response: { assistant_message: { content: 'Sunny.' } } });
    expect(only(scene.payloads('post_tool_call'))).toMatchObject({
      args: { city: 'Oslo' },
      result: '21',
      api_request_id: first?.api_request_id,
    });
    expect(only(scene.payloads('post_llm_call'))).toMatchObject({ assistant_response: 'Sunny.' });
    expect((await scene.spans()).find(({ name }) => name.startsWith('invoke'))?.attributes).toMatchObject({
      'hermes.profile': 'planner',
    });
  });

  it('in a turn of the program is part of its trace', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    ends.push(() => context.disable());
    const scene = observed();
    await scene.observer.turn({}, () => agent().invoke(input()));
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', ...TREE.map((line) => `  ${line}`)]);
  });

  it('has its span active in models and tools, for the OpenTelemetry API too, beside what the program set there', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    ends.push(() => context.disable());
    const scene = observed();
    const key = createContextKey('of the program');
    const active: [string | undefined, unknown][] = [];
    const look = () => {
      active.push([trace.getActiveSpan()?.spanContext().spanId, context.active().getValue(key)]);
      return '21';
    };
    const fake = model();
    fake.respond(() => {
      look();
      return asks(call('call_1'));
    });
    fake.respond(says());
    const looks = createAgent({ model: fake, tools: [weather(look)] } as never);
    await context.with(context.active().setValue(key, 'there'), () => looks.invoke(input()));
    const spans = await scene.spans();
    const id = (start: string) => spans.find(({ name }) => name.startsWith(start))?.spanContext().spanId;
    expect(active).toEqual([
      [id('chat'), 'there'],
      [id('execute_tool'), 'there'],
    ]);
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  it('whose tools ask models has children below the calls, named for the models', async () => {
    const scene = observed();
    const named = (name: string) => Object.assign(model(says()), { getLsParams: () => ({ ls_model_name: name }) });
    const prompt = RunnableLambda.from((text: string) => text);
    const asksModels = async () => {
      await named('summarizer').invoke('x');
      await prompt.pipe(named('translator')).invoke('x');
      await named('critic').withConfig({ runName: 'criticism' }).invoke('x');
      await createAgent({ name: 'planner', model: model(says()), tools: [] } as never).invoke(input());
      await createAgent({ model: model(says()), tools: [] } as never).invoke(input());
      return 'short';
    };
    await agent({ name: 'planner' }, undefined, asksModels).invoke(input());
    const below = (agentName: string, name = agentName) => [
      `    invoke_agent ${agentName}: completed`,
      `      chat ${name}: stop 10>5`,
    ];
    expect(await scene.tree()).toEqual([
      ...TREE.slice(0, 3),
      ...below('summarizer'),
      ...below('translator'),
      ...below('criticism', 'critic'),
      ...below('planner', 'm'),
      ...below('subagent', 'm'),
      ...TREE.slice(3),
    ]);
  });

  it('beside others at the same time has what is its own', async () => {
    const scene = observed();
    await Promise.all(Array.from({ length: 10 }, () => agent().invoke(input())));
    expect(await scene.tree()).toEqual(
      Array(10)
        .fill(TREE)
        .flat()
        .sort((a, b) => 0 * a.length * b.length),
    );
  });

  it('whose node is a graph without a name is one turn; with a name the node is an agent of its own', async () => {
    const scene = observed();
    const answers = async () => ({ messages: [await model(says()).invoke('x')] });
    const inner = new StateGraph(MessagesAnnotation).addNode('model', answers).addEdge(START, 'model');
    for (const name of [undefined, 'helper']) {
      const outer = new StateGraph(MessagesAnnotation)
        .addNode('inner', inner.compile(name === undefined ? {} : { name }))
        .addEdge(START, 'inner');
      await outer.compile().invoke(input());
    }
    expect(await scene.tree()).toEqual([
      ...ONE,
      'invoke_agent hermes: completed',
      '  invoke_agent helper: completed',
      '    chat m: stop 10>5',
    ]);
  });

  it('that hands over by a tool has the tool, and the agents beside each other', async () => {
    const scene = observed();
    const transfer = tool(async () => new Command({ goto: 'two', graph: Command.PARENT }) as never, {
      name: 'transfer',
      description: 't',
      schema: z.object({ city: z.string() }),
    });
    const one = createAgent({
      name: 'one',
      model: model(asks(call('call_1', 'transfer'))),
      tools: [transfer],
    } as never);
    const two = createAgent({ name: 'two', model: model(says()), tools: [] } as never);
    const team = new StateGraph(MessagesAnnotation)
      .addNode('one', one.graph as never, { ends: ['two'] })
      .addNode('two', two.graph as never)
      .addEdge(START, 'one');
    await team.compile({ name: 'team' }).invoke(input());
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  invoke_agent one: completed',
      '    chat m: tool_calls 10>5',
      '    execute_tool transfer: ok',
      '  invoke_agent two: completed',
      '    chat m: stop 10>5',
    ]);
  });

  it('whose model fails, fails with its error, which the program gets itself', async () => {
    const scene = observed();
    const error = Object.assign(new RangeError('no'), { status: 400 });
    await expect(agent({}, [error] as never).invoke(input())).rejects.toBe(error);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', '  chat m: x400 ERROR']);
  });
});

describe('a run without an agent', () => {
  it('that calls no model and no tool leaves nothing', async () => {
    const scene = observed();
    class Documents extends BaseRetriever {
      lc_namespace = ['test'];
      override async _getRelevantDocuments() {
        return [];
      }
    }
    await RunnableLambda.from(() => 1)
      .pipe(() => 2)
      .invoke(0);
    await new Documents().invoke('x');
    await weather().invoke({ city: 'Oslo' });
    expect(await scene.tree()).toEqual([]);
  });

  it('that calls a model is a turn, and so is a model alone', async () => {
    const scene = observed();
    await RunnableLambda.from((text: string) => text)
      .pipe(model(says()))
      .pipe(() => 1)
      .invoke('How is it?');
    await model(says()).invoke('x');
    expect(scene.payloads('pre_llm_call')[0]).toMatchObject({ user_message: 'How is it?', model: 'm' });
    expect(await scene.tree()).toEqual([...ONE, ...ONE]);
  });

  it('has each try of withRetry as an attempt, and each of a batch as a request of its own', async () => {
    const scene = observed();
    const overloaded = Object.assign(new Error('overloaded'), { status: 503 });
    await model(overloaded, says()).withRetry({ stopAfterAttempt: 2 }).invoke('x');
    await model(says(), says()).batch(['x', 'y']);
    expect(await scene.tree()).toEqual([ONE[0], '  chat m: stop 10>5 x503', ...ONE, ...ONE]);
  });

  it('that falls back to another model has a request of each', async () => {
    const scene = observed();
    const other = Object.assign(model(says()), { getLsParams: () => ({ ls_model_name: 'other' }) });
    await model(new Error('away')).withFallbacks([other]).invoke('x');
    expect(await scene.tree()).toEqual([ONE[0], '  chat m: x ERROR', '  chat other: stop 10>5']);
  });

  it('below a tool is an agent of its own, if it calls a model', async () => {
    const scene = observed();
    const asksAgain = async () => {
      await RunnableLambda.from(() => 1).invoke(0);
      return (await model(says()).invoke('x')).content;
    };
    await agent({}, undefined, asksAgain).invoke(input());
    const [turn, request, call, last] = TREE;
    expect(await scene.tree()).toEqual([
      turn,
      request,
      call,
      '    invoke_agent m: completed',
      '      chat m: stop 10>5',
      last,
    ]);
  });
});

describe('a stream', () => {
  it.each<['stream' | 'streamEvents']>([['stream'], ['streamEvents']])(
    'of an agent that is left ends it: %s',
    async (method) => {
      const scene = observed();
      const streams = createAgent({ model: streaming(1), tools: [] } as never);
      if (method === 'stream') for await (const _ of await streams.stream(input(), { streamMode: 'messages' })) break;
      else
        for await (const { event } of streams.streamEvents(input(), { version: 'v2' }))
          if (event === 'on_chat_model_stream') break;
      await wait(40);
      expect(await scene.tree()).toEqual(['invoke_agent hermes: interrupted', '  chat m: cancelled streamed']);
    },
  );

  it('of an agent that is left between two steps ends it', async () => {
    const scene = observed();
    for await (const _ of await agent().stream(input(), { streamMode: 'updates' })) break;
    await wait(40);
    expect((await scene.tree())[0]).toBe('invoke_agent hermes: interrupted');
  });

  it('of a model alone is a turn, with its text', async () => {
    const scene = observed();
    let text = '';
    for await (const { content } of await streaming().stream('x')) text += content;
    expect(text).toBe('abc');
    expect(only(scene.payloads('post_llm_call'))).toMatchObject({ assistant_response: 'abc' });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: streamed']);
  });
});

it('below an agent of another adapter, which works for a tool of LangChain, hangs below that one', async () => {
  const scene = observed();
  const guard = new Guard('test', () => {});
  const scopes = scopesOf(scene.observer, guard);
  const between = async () => {
    const around = scopes.getStore();
    const turn = new AdapterTurn(scene.observer, guard, { agentName: 'between' }, around?.turn, around?.tool?.callId);
    const tool = turn.tool({ name: 'ask', callId: 'call_2' });
    await scopes.run({ turn, tool }, () => agent({ name: 'inner' }, [says()]).invoke(input()));
    tool.end({ status: 'ok' });
    turn.end();
    return '21';
  };
  await agent({}, undefined, between).invoke(input());
  expect(await scene.tree()).toEqual([
    'invoke_agent hermes: completed',
    '  chat m: tool_calls 10>5',
    '  execute_tool weather: ok',
    '    invoke_agent between: completed',
    '      execute_tool ask: ok',
    '        invoke_agent inner: completed',
    '          chat m: stop 10>5',
    '  chat m: stop 10>5',
  ]);
});
