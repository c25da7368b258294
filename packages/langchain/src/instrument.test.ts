import { AdapterTurn, withSession } from '@hermes-observer/adapter';
import { type EndedSpan, KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { createObserver, type Observer, type ObserverOptions } from '@hermes-observer/otel';
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { AIMessage, AIMessageChunk, HumanMessage, type ToolCall } from '@langchain/core/messages';
import { BaseRetriever } from '@langchain/core/retrievers';
import { RunnableLambda } from '@langchain/core/runnables';
import { fakeModel } from '@langchain/core/testing';
import { tool } from '@langchain/core/tools';
import { FakeStreamingChatModel } from '@langchain/core/utils/testing';
import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { context, createContextKey, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { createAgent, humanInTheLoopMiddleware } from 'langchain';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { instrumentLangChain, observerHandler } from './instrument.js';
import type { LangChainOptions } from './options.js';
import { LangChainTracing } from './tracing/tracing.js';

const usage_metadata = {
  input_tokens: 10,
  output_tokens: 5,
  total_tokens: 15,
  input_token_details: { cache_read: 6, cache_creation: 1 },
  output_token_details: { reasoning: 2 },
};
const call = (id: string, name = 'weather', args: object = { city: 'Oslo' }): ToolCall =>
  ({ id, name, args, type: 'tool_call' }) as ToolCall;
const asks = (...tool_calls: ToolCall[]) =>
  new AIMessage({ content: '', tool_calls, usage_metadata, response_metadata: { stop_reason: 'tool_use' } } as never);
const says = (content = 'Sunny.') =>
  new AIMessage({
    content,
    usage_metadata,
    response_metadata: { finish_reason: 'stop', model_name: 'm-2026' },
  } as never);
const model = (...steps: (AIMessage | Error)[]) => {
  const fake = fakeModel();
  for (const step of steps) fake.respond(step);
  const getLsParams = () => ({ ls_provider: 'Mock', ls_model_name: 'm', ls_max_tokens: 99 });
  return Object.assign(fake, { getLsParams, bindTools: () => fake });
};
const streaming = (sleep = 0) => {
  const chunks = ['a', 'b', 'c'].map((content) => new AIMessageChunk({ content }));
  const fake = new FakeStreamingChatModel({ chunks, sleep });
  const getLsParams = () => ({ ls_provider: 'mock', ls_model_name: 'm' });
  return Object.assign(fake, { getLsParams, bindTools: () => fake });
};
const weather = (run: () => unknown = () => '21') =>
  tool(async () => (await run()) as string, {
    name: 'weather',
    description: 'w',
    schema: z.object({ city: z.string() }),
  });
const input = () => ({ messages: [new HumanMessage('How is the weather?')] });
const agent = (options: object = {}, steps = [asks(call('call_1')), says()], run?: () => unknown) =>
  createAgent({ model: model(...steps), tools: [weather(run)], ...options } as never);
const wait = (millis = 20) => new Promise((resolve) => setTimeout(resolve, millis));

const TREE = [
  'invoke_agent hermes: completed',
  '  chat m: tool_calls 10>5',
  '  execute_tool weather: ok',
  '  chat m: stop 10>5',
];
const ONE = ['invoke_agent hermes: completed', '  chat m: stop 10>5'];

interface Scene {
  readonly observer: Observer;
  readonly warnings: string[];
  readonly payloads: (hook: string) => Readonly<Record<string, unknown>>[];
  tree(): Promise<string[]>;
  spans(): Promise<readonly EndedSpan[]>;
  readonly end: () => void;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function observed(
  options: LangChainOptions = {},
  observerOptions: ObserverOptions = {},
  instrument: (options: LangChainOptions) => () => void = instrumentLangChain,
): Scene {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept as never], env: {}, onWarning: () => {}, ...observerOptions });
  const warnings: string[] = [];
  const hooks: [string, Readonly<Record<string, unknown>>][] = [];
  observer.hub.on('*', (payload, { hook }) => {
    hooks.push([hook, payload as Readonly<Record<string, unknown>>]);
  });
  const end = instrument({ observer, onWarning: (text) => warnings.push(text), ...options });
  ends.push(end);
  const spans = async () => {
    await observer.shutdown();
    return kept.spans;
  };
  return {
    observer,
    warnings,
    payloads: (hook) => {
      observer.hub.deliverWaiting();
      return hooks.filter(([name]) => name === hook).map(([, payload]) => payload);
    },
    spans,
    tree: async () => spanTree(await spans()),
    end,
  };
}

const only = <T>(all: readonly T[]): T => {
  expect(all).toHaveLength(1);
  return all[0] as T;
};

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
      '    invoke_agent subagent: completed',
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

describe('a session', () => {
  it('is that of the metadata, else the thread, else of withSession, else one of each turn', async () => {
    const scene = observed();
    const thread = { configurable: { thread_id: 'thread' } };
    const one = () => agent({}, [says()]);
    await withSession({ sessionId: 'around' }, async () => {
      await one().invoke(input(), { ...thread, metadata: { session_id: 'told' } });
      await one().invoke(input(), thread);
      await one().invoke(input());
    });
    await one().invoke(input());
    const ids = scene.payloads('pre_llm_call').map(({ session_id }) => session_id);
    expect(ids.slice(0, 3)).toEqual(['told', 'thread', 'around']);
    expect(ids[3]).toMatch(/^session_/);
  });

  it('may stand under another key', async () => {
    const scene = observed({ sessionKey: 'conversation' });
    await agent({}, [says()]).invoke(input(), { metadata: { conversation: 'c-1', session_id: 's-1' } });
    expect(only(scene.payloads('pre_llm_call'))).toMatchObject({ session_id: 'c-1' });
  });
});

describe('a question to a person', () => {
  let threads = 0;
  const thread = () => ({ configurable: { thread_id: `t-${++threads}` } });
  const asking = (steps: AIMessage[], checkpointer = new MemorySaver()) =>
    createAgent({
      model: model(...steps),
      tools: [weather(), tool(async () => 'x', { name: 'search', description: 's', schema: z.object({}) })],
      checkpointer,
      middleware: [humanInTheLoopMiddleware({ interruptOn: { weather: true } } as never)],
    } as never);
  const calls = asks(call('call_1', 'search', {}), call('call_2'), call('call_3', 'weather', { city: 'Rome' }));
  const decide = (...decisions: object[]) => new Command({ resume: { decisions } }) as never;
  const edited = { type: 'edit', editedAction: { name: 'weather', args: { city: 'Bonn' } } };

  it.each([
    ['in the same process', true],
    ['in another one', false],
  ])('about some of the calls has the decisions on the right ones: %s', async (_, isSame) => {
    const saver = new MemorySaver();
    const config = thread();
    const first = observed();
    await asking([calls], saver).invoke(input(), config);
    if (!isSame) first.end();
    const scene = isSame ? first : observed();
    await asking([says()], saver).invoke(decide({ type: 'approve' }, edited), config);
    const told = scene.payloads('post_approval_response').map(({ tool_call_id, choice }) => [tool_call_id, choice]);
    const pending = [
      ['call_2', 'pending'],
      ['call_3', 'pending'],
    ];
    expect(told).toEqual([...(isSame ? pending : []), ['call_2', 'once'], ['call_3', 'once']]);
    const args = scene.payloads('post_tool_call').map(({ tool_call_id, args, status }) => [tool_call_id, args, status]);
    expect(args.sort()).toEqual([
      ['call_1', {}, 'ok'],
      ['call_2', { city: 'Oslo' }, 'ok'],
      ['call_3', { city: 'Bonn' }, 'ok'],
    ]);
  });

  it('that is answered for one call with no, and for another with yes, runs neither', async () => {
    const scene = observed();
    const config = thread();
    const asked = asking([calls, says()]);
    await asked.invoke(input(), config);
    await asked.invoke(decide({ type: 'approve' }, { type: 'reject' }), config);
    const statuses = scene.payloads('post_tool_call').map(({ tool_call_id, status }) => [tool_call_id, status]);
    expect(statuses).toEqual([
      ['call_2', 'cancelled'],
      ['call_3', 'blocked'],
    ]);
    const ids = new Set(scene.payloads('post_approval_response').map(({ request_id }) => request_id));
    expect(ids.size).toBe(1);
  });

  it.each([
    [true, 'once'],
    [{ type: 'reject' }, 'deny'],
    ['to Rome, please', 'answered'],
  ])('of a tool itself is on its call: %j is %s', async (resume, choice) => {
    const scene = observed();
    const config = thread();
    const asked = agent({ checkpointer: new MemorySaver() }, undefined, () => `${interrupt('Sure?')}`);
    await asked.invoke(input(), config);
    await asked.invoke(new Command({ resume }) as never, config);
    expect(await scene.tree()).toEqual([
      ...TREE.slice(0, 2),
      '  execute_tool weather: cancelled',
      '    approval weather: pending',
      'invoke_agent hermes: completed',
      '  execute_tool weather: ok',
      `    approval weather: ${choice}`,
      '  chat m: stop 10>5',
    ]);
  });

  it('of an agent below a tool is told once, by that agent', async () => {
    const scene = observed();
    const config = thread();
    const child = createAgent({
      name: 'child',
      model: model(asks(call('call_9')), says()),
      tools: [weather()],
      middleware: [humanInTheLoopMiddleware({ interruptOn: { weather: true } } as never)],
    } as never);
    const run = async () => String((await child.invoke(input())).messages.at(-1)?.content);
    const parent = agent({ checkpointer: new MemorySaver() }, undefined, run);
    await parent.invoke(input(), config);
    await parent.invoke(decide({ type: 'approve' }), config);
    expect(await scene.tree()).toEqual([
      ...TREE.slice(0, 2),
      '  execute_tool weather: cancelled',
      '    invoke_agent child: completed',
      '      chat m: tool_calls 10>5',
      '      approval weather: pending',
      'invoke_agent hermes: completed',
      '  execute_tool weather: ok',
      '    invoke_agent child: completed',
      '      execute_tool weather: ok',
      '        approval weather: once',
      '      chat m: stop 10>5',
      '  chat m: stop 10>5',
    ]);
  });
});

describe('spans of others', () => {
  class TracingHandler extends BaseCallbackHandler {
    name = 'tracing';
    tracer = { startSpan: () => ({}) };
  }

  it.each<[LangChainOptions['frameworkSpans'], number, number]>([
    [undefined, 1, 4],
    ['keep', 0, 4],
    ['yield', 0, 0],
  ])('of the same runs, with %s: %i warnings, %i spans for a run', async (frameworkSpans, warnings, spans) => {
    const scene = observed({ frameworkSpans });
    for (let i = 0; i < 2; i++) await agent().invoke(input(), { callbacks: [new TracingHandler()] });
    expect(scene.warnings).toHaveLength(warnings);
    expect(await scene.spans()).toHaveLength(spans * 2);
  });

  it('that LangSmith makes are known by its variables', async () => {
    for (const name of ['LANGSMITH_TRACING', 'LANGSMITH_OTEL_ENABLED']) {
      process.env[name] = 'true';
      ends.push(() => delete process.env[name]);
    }
    const scene = observed();
    for (const end of ends.splice(1)) end();
    for (const end of ends.splice(0)) end();
    expect(only(scene.warnings)).toContain('LangSmith makes spans of the same requests');
  });
});

describe('instrumenting', () => {
  it('twice with one observer makes one span each; with two observers each has its own', async () => {
    const [one, other] = [observed(), observed()];
    expect(instrumentLangChain({ observer: one.observer })).toBe(one.end);
    await agent().invoke(input(), { callbacks: [observerHandler({ observer: one.observer })] });
    expect(await one.tree()).toEqual(TREE);
    expect(await other.tree()).toEqual(TREE);
  });

  it('by a handler observes the runs that have it', async () => {
    let handler: ReturnType<typeof observerHandler> | undefined;
    const scene = observed({}, {}, (options) => {
      handler = observerHandler(options);
      return () => {};
    });
    await agent().invoke(input());
    await agent().invoke(input(), { callbacks: [handler as never] });
    await model(says()).invoke('x', { callbacks: [handler as NonNullable<typeof handler>] });
    expect(await scene.tree()).toEqual([...TREE, ...ONE]);
  });

  it('ends, for runs under way as well', async () => {
    const scene = observed();
    const run = agent({}, undefined, async () => {
      scene.end();
      scene.end();
      return '21';
    });
    await run.invoke(input());
    await agent().invoke(input());
    expect(scene.payloads('pre_api_request')).toHaveLength(1);
    expect(scene.payloads('pre_llm_call')).toHaveLength(1);
  });

  it('knows the order of the arguments that a chain starts with, as declared and as it is', () => {
    const scene = observed();
    const handler = observerHandler({ observer: scene.observer }) as unknown as Record<
      string,
      (...args: unknown[]) => void
    >;
    const starts = (...args: unknown[]) => handler.handleChainStart?.({ id: [] }, {}, ...args);
    starts('root', undefined, [], {}, undefined, 'chain');
    starts('real', 'root', [], {}, 'chain', 'step');
    starts('declared', 'chain', [], {}, 'step', 'real');
    handler.handleChatModelStart?.({}, [[new HumanMessage('x')]], 'model', 'declared', {}, [], { ls_model_name: 'm' });
    handler.handleChainEnd?.({}, 'root');
    expect(only(scene.payloads('pre_llm_call')).turn_id).toMatch(/^root:/);
    expect(scene.payloads('on_session_end')).toHaveLength(1);
  });
});

describe('a fault of the adapter', () => {
  const faults: [{ constructor: { name: string } }, string][] = [
    ...['chainStarted', 'chainEnded', 'modelStarted', 'modelEnded', 'toolStarted', 'toolEnded', 'within'].map(
      (name): [{ constructor: { name: string } }, string] => [LangChainTracing.prototype, name],
    ),
    [AdapterTurn.prototype, 'request'],
    [AdapterTurn.prototype, 'tool'],
    [AdapterTurn.prototype, 'emit'],
    [AdapterTurn.prototype, 'end'],
    [AdapterTurn.prototype, 'requestEnded'],
  ];

  it.each(faults.map(([prototype, name]) => [prototype.constructor.name, name, prototype] as const))(
    'stays inside: %s %s',
    async (_, name, prototype) => {
      const told: unknown[] = [];
      const listener = (error: unknown) => told.push(error);
      process.on('uncaughtException', listener);
      // Where LangChain tells of handlers that throw.
      const warned = vi.spyOn(console, 'warn').mockImplementation(listener);
      const original = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
      let thrown = 0;
      ends.push(() => {
        Object.defineProperty(prototype, name, original);
        warned.mockRestore();
        process.off('uncaughtException', listener);
      });
      Object.defineProperty(prototype, name, {
        ...original,
        value: () => {
          thrown++;
          throw new Error('adapter');
        },
      });
      observed();
      const { messages } = await agent().invoke(input());
      await wait(5);
      expect(messages.map(({ content }) => content)).toEqual(['How is the weather?', '', '21', 'Sunny.']);
      expect(thrown).toBeGreaterThan(0);
      expect(told).toEqual([]);
    },
  );
});
