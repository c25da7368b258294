import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withSession } from '@hermes-observer/adapter';
import { type EndedSpan, KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { createObserver, type Observer, type ObserverOptions } from '@hermes-observer/otel';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import * as seven from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import {
  APICallError,
  generateText,
  simulateReadableStream,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
  wrapLanguageModel,
} from 'ai-v6';
import { MockLanguageModelV3 } from 'ai-v6/test';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { instrumentAiSdk } from './instrument.js';
import { observerMiddleware } from './middleware.js';
import type { AiSdkOptions } from './options.js';
import { Handlers6 } from './tracing/handlers-6.js';

const usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const stop = { unified: 'stop' as const, raw: 'stop' };
const call = { type: 'tool-call' as const, toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Oslo"}' };
const answers = [
  { content: [call], usage, warnings: [], finishReason: { unified: 'tool-calls' as const, raw: 'x' } },
  { content: [{ type: 'text' as const, text: 'Sunny.' }], usage, warnings: [], finishReason: stop },
];
type Model = ConstructorParameters<typeof MockLanguageModelV3>[0];
const model = (given: Model = {}) => new MockLanguageModelV3({ provider: 'mock.chat', modelId: 'm', ...given });
const wrapped = (given: Model = {}) => wrapLanguageModel({ model: model(given), middleware: observerMiddleware() });
const scripted = (script: readonly unknown[]): Model => {
  let step = 0;
  return {
    doGenerate: async () => {
      const next = script[Math.min(step++, script.length - 1)];
      if (next instanceof Error) throw next;
      return next as (typeof answers)[0];
    },
  };
};
const agent = (execute: () => unknown = () => ({ temperature: 21 }), made = model(scripted(answers))) => ({
  model: made,
  tools: {
    weather: tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async () => {
        await null;
        return (await execute()) as object;
      },
    }),
  },
  stopWhen: stepCountIs(3),
  prompt: 'How is the weather?',
});
const answering = () => model(scripted([answers[1]]));
const streaming = (parts: readonly object[], wraps = false) => {
  const chunks = [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, ...parts];
  const doStream = async () => ({ stream: simulateReadableStream({ chunkDelayInMs: 1, chunks: chunks as never[] }) });
  return wraps ? wrapped({ doStream }) : model({ doStream });
};
const deltas = (count: number) => Array.from({ length: count }, () => ({ type: 'text-delta', id: 't', delta: 'w' }));

const TREE = [
  'invoke_agent hermes: completed',
  '  chat m: tool_calls 10>5',
  '  execute_tool weather: ok',
  '  chat m: stop 10>5',
];
const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function observed(options: AiSdkOptions = {}, observerOptions: ObserverOptions = {}) {
  const kept = new KeptSpans();
  const observer: Observer = createObserver({
    exporters: [kept as never],
    env: {},
    onWarning: () => {},
    ...observerOptions,
  });
  const warnings: string[] = [];
  const hooks: [string, Readonly<Record<string, unknown>>][] = [];
  observer.hub.on('*', (payload, { hook }) => {
    hooks.push([hook, payload as Readonly<Record<string, unknown>>]);
  });
  const end = instrumentAiSdk({ observer, onWarning: (text) => warnings.push(text), ...options });
  ends.push(end);
  const spans = async (): Promise<readonly EndedSpan[]> => {
    await observer.shutdown();
    return kept.spans;
  };
  return {
    observer,
    warnings,
    end,
    spans,
    payloads: (hook: string) => {
      observer.hub.deliverWaiting();
      return hooks.filter(([name]) => name === hook).map(([, payload]) => payload);
    },
    tree: async () => spanTree(await spans()),
  };
}

const only = <T>(all: readonly T[]): T => {
  expect(all).toHaveLength(1);
  return all[0] as T;
};

describe('a run of AI SDK 6', () => {
  it('has messages, answers, arguments, results and the whole usage in its records', async () => {
    const scene = observed();
    await generateText({ ...agent(), system: 'Be short.', experimental_telemetry: { functionId: 'planner' } });
    const [first, last] = scene.payloads('post_api_request');
    expect(only(scene.payloads('pre_llm_call'))).toMatchObject({ user_message: 'How is the weather?', model: 'm' });
    expect(scene.payloads('pre_api_request')[0]).toMatchObject({
      provider: 'mock',
      system_prompt: 'Be short.',
      logical_call: true,
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
      api_request_id: first?.api_request_id,
    });
    expect(only(scene.payloads('post_llm_call'))).toMatchObject({ assistant_response: 'Sunny.' });
    expect((await scene.spans()).find(({ name }) => name.startsWith('invoke'))?.attributes).toMatchObject({
      'hermes.profile': 'planner',
    });
  });

  it('has a request that ends when its first tool starts, though its usage comes later', async () => {
    const scene = observed();
    await generateText(agent(() => sleep(60).then(() => ({}))));
    const spans = (await scene.spans()) as unknown as readonly ReadableSpan[];
    const [request, tool] = ['chat', 'execute_tool'].map((name) => spans.find((span) => span.name.startsWith(name)));
    const millis = ([seconds, nanos]: readonly [number, number] = [0, 0]) => seconds * 1000 + nanos / 1e6;
    const end = millis(request?.endTime);
    expect(end).toBeLessThanOrEqual(millis(tool?.startTime));
    expect(millis(tool?.endTime) - end).toBeGreaterThan(50);
  });

  it('whose metadata hides inputs and outputs tells usage and status, and nothing of what was said', async () => {
    const scene = observed();
    const fails = () => {
      throw new RangeError('no such city');
    };
    const experimental_telemetry = { metadata: { recordInputs: false, recordOutputs: false } };
    await generateText({ ...agent(fails), experimental_telemetry });
    const error = new APICallError({ message: 'secret', url: 'x', requestBodyValues: {}, statusCode: 400 });
    await expect(
      generateText({ model: wrapped(scripted([error])), prompt: 'How is it?', experimental_telemetry }),
    ).rejects.toBe(error);
    const hooks = ['pre_llm_call', 'pre_api_request', 'post_api_request', 'pre_tool_call', 'post_tool_call'];
    for (const hook of [...hooks, 'post_llm_call', 'api_request_error', 'on_session_end']) {
      expect(scene.payloads(hook).length, hook).toBeGreaterThan(0);
      expect(JSON.stringify(scene.payloads(hook)), hook).not.toMatch(/Sunny|Oslo|How is|no such city|secret/);
    }
    await sleep(5);
    expect((await scene.tree()).slice(0, 4)).toEqual(
      TREE.map((line) => line.replace('weather: ok', 'weather: error ERROR')),
    );
  });

  it('belongs to the session of its metadata, else to that of withSession', async () => {
    const scene = observed();
    const options = () => ({ model: answering(), prompt: 'x' });
    await withSession({ sessionId: 's-1' }, async () => {
      await generateText({ ...options(), experimental_telemetry: { metadata: { sessionId: 's-2' } } });
      await generateText(options());
    });
    expect(scene.payloads('pre_llm_call').map(({ session_id }) => session_id)).toEqual(['s-2', 's-1']);
  });

  it('is told apart from others at the same time, and from runs of 7', async () => {
    const scene = observed();
    const of7 = () =>
      seven.generateText({
        model: new MockLanguageModelV4({ modelId: 'm', doGenerate: async () => answers[1] as never }),
        prompt: 'x',
      });
    await Promise.all([generateText(agent()), of7(), generateText(agent()), of7(), generateText(agent())]);
    const trees = (await scene.tree()).join('\n').split(/\n(?=invoke)/);
    const plain = [TREE[0], TREE[3]].join('\n');
    expect(trees.sort()).toEqual([TREE.join('\n'), TREE.join('\n'), TREE.join('\n'), plain, plain].sort());
  });

  it('with callbacks and integrations of its own is seen all the same', async () => {
    const scene = observed();
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(name);
    await generateText({
      ...agent(),
      experimental_onStart: note('start'),
      experimental_onStepStart: note('step'),
      experimental_onToolCallStart: note('tool'),
      onFinish: note('finish'),
      experimental_telemetry: { integrations: { onFinish: note('integration') } },
    });
    expect(seen).toEqual(['start', 'step', 'tool', 'step', 'finish', 'integration']);
    expect(await scene.tree()).toEqual(TREE);
  });

  it('of an agent inside a tool of a stream is its child, with two observers for each of them', async () => {
    const [one, other] = [observed(), observed()];
    const child = new ToolLoopAgent({ model: answering(), experimental_telemetry: { functionId: 'researcher' } });
    const finish = { type: 'finish', finishReason: answers[0]?.finishReason, usage };
    let step = 0;
    const parts = () =>
      step++ === 0 ? [call, finish] : [...deltas(2), { type: 'text-end', id: 't' }, { ...finish, finishReason: stop }];
    const doStream = async () => ({
      stream: simulateReadableStream({
        chunks: [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, ...parts()] as never[],
      }),
    });
    const { textStream } = streamText(
      agent(() => child.generate({ prompt: 'dig' }).then(({ text }) => ({ text })), wrapped({ doStream }) as never),
    );
    for await (const _ of textStream);
    await sleep(5);
    const tree = [
      'invoke_agent hermes: completed',
      '  chat m: tool_calls 10>5 streamed',
      '  execute_tool weather: ok',
      '    invoke_agent researcher: completed',
      '      chat m: stop 10>5',
      '  chat m: stop 10>5 streamed',
    ];
    expect(await one.tree()).toEqual(tree);
    expect(await other.tree()).toEqual(tree);
  });
});

describe('code around a run of AI SDK 6', () => {
  it('has the active span of its tool, of the API as well, and none behind the run', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    ends.push(() => context.disable());
    const scene = observed();
    const active: (string | undefined)[] = [];
    const look = () => {
      active.push(trace.getActiveSpan()?.spanContext().spanId);
      return { temperature: 21 };
    };
    const running = generateText(agent(look));
    const after = () => [scene.observer.scope, trace.getActiveSpan()];
    expect(after()).toEqual([undefined, undefined]);
    await running;
    expect(after()).toEqual([undefined, undefined]);
    const { textStream } = streamText({ model: streaming(deltas(2)), prompt: 'x' });
    expect(after()).toEqual([undefined, undefined]);
    for await (const _ of textStream) expect(after()).toEqual([undefined, undefined]);
    expect(after()).toEqual([undefined, undefined]);
    const tool = (await scene.spans()).find(({ name }) => name.startsWith('execute_tool'));
    expect(active).toEqual([tool?.spanContext().spanId]);
  });

  it('in a turn of the program is part of its trace', async () => {
    const scene = observed();
    await scene.observer.turn({}, () => generateText(agent()).then(({ text }) => text));
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', ...TREE.map((line) => `  ${line}`)]);
  });
});

describe('a run of AI SDK 6 that throws', () => {
  const refused = () => new APICallError({ message: 'no', url: 'x', requestBodyValues: {}, statusCode: 400 });
  const overloaded = () =>
    new APICallError({
      message: 'overloaded',
      url: 'x',
      requestBodyValues: {},
      statusCode: 503,
      responseHeaders: { 'retry-after-ms': '1' },
    });

  it.each<[string, () => unknown, number, number]>([
    ['is refused', refused, 400, 1],
    ['is tried again in vain', overloaded, 503, 2],
  ])('fails where its wrapped model %s', async (_, error, status, attempts) => {
    const scene = observed();
    const thrown = error();
    await expect(
      generateText({ model: wrapped(scripted([thrown])), prompt: 'x', maxRetries: 1 }),
    ).rejects.toBeInstanceOf(Error);
    await sleep(5);
    expect(scene.payloads('on_session_end')).toHaveLength(1);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', `  chat m: x${status} ERROR`]);
    expect(scene.payloads('api_request_error')).toHaveLength(attempts);
  });

  it('goes on where another model answers in place of the wrapped one', async () => {
    const scene = observed();
    const [first, second] = [wrapped(scripted([refused()])), wrapped(scripted([answers[1]]))];
    const falls = model({
      doGenerate: async (options) => {
        try {
          return await first.doGenerate(options);
        } catch {
          return second.doGenerate(options);
        }
      },
    });
    await generateText({ model: falls, prompt: 'x' });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5 x400']);
  });

  it.each([503, 400])('fails where the provider answers %i over HTTP, without a middleware', async (status) => {
    const scene = observed();
    const server = createServer((_, response) => void response.writeHead(status).end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const doGenerate = async () => {
      const response = await fetch(url, { method: 'POST', body: '{}' });
      await response.text();
      throw new APICallError({
        message: 'no',
        url,
        requestBodyValues: {},
        statusCode: response.status,
        responseHeaders: { 'retry-after-ms': '1' },
      });
    };
    await expect(generateText({ model: model({ doGenerate }), prompt: 'x', maxRetries: 1 })).rejects.toThrow();
    await sleep(300);
    expect(scene.payloads('on_session_end')).toHaveLength(1);
    expect(scene.payloads('api_request_error')).toHaveLength(status === 503 ? 2 : 1);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', `  chat m: x${status} ERROR`]);
  });

  it('is interrupted by its signal, also in a tool, and leaves no listener there', async () => {
    const scene = observed();
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    await generateText({ ...agent(), abortSignal: signal });
    expect(listeners).toBe(0);
    const aborts = () => {
      controller.abort();
      return {};
    };
    await expect(generateText({ ...agent(aborts), abortSignal: signal })).rejects.toThrow();
    await sleep(5);
    expect(scene.payloads('on_session_end').map(({ interrupted }) => interrupted)).toEqual([false, true]);
  });

  it('is interrupted where the program leaves its stream', async () => {
    const scene = observed();
    const result = streamText({ model: streaming(deltas(50), true), prompt: 'x' });
    const reader = result.textStream.getReader();
    await reader.read();
    await reader.cancel();
    await result.consumeStream();
    await sleep(20);
    expect(scene.payloads('on_session_end')).toHaveLength(1);
  });
});

describe('spans of AI SDK 6 itself', () => {
  it('are warned of once', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    ends.push(() => context.disable());
    const scene = observed();
    const { tracerProvider } = await ownSpans();
    const experimental_telemetry = { isEnabled: true, tracer: tracerProvider.getTracer('ai') };
    await generateText({ ...agent(), experimental_telemetry });
    await generateText({ ...agent(), experimental_telemetry });
    expect(scene.warnings).toHaveLength(1);
    expect(scene.warnings[0]).toMatch(/experimental_telemetry/);
  });
});

async function ownSpans() {
  const { BasicTracerProvider } = await import('@opentelemetry/sdk-trace-base');
  return { tracerProvider: new BasicTracerProvider() };
}

describe('a fault of the adapter', () => {
  const names = ['start', 'stepStart', 'toolStart', 'toolEnd', 'stepEnd', 'end', 'attempt', 'answered'] as const;
  it.each(names)('stays inside: %s', async (name) => {
    const original = Handlers6.prototype[name];
    let thrown = 0;
    ends.push(() => Object.assign(Handlers6.prototype, { [name]: original }));
    Object.assign(Handlers6.prototype, {
      [name]: () => {
        thrown++;
        throw new Error('adapter');
      },
    });
    observed();
    const { text, steps } = await generateText(agent(undefined, wrapped(scripted(answers)) as never));
    expect([text, steps.length]).toEqual(['Sunny.', 2]);
    expect(thrown).toBeGreaterThan(0);
  });
});

describe('instrumenting', () => {
  it('twice with one observer makes one span each, and ends', async () => {
    const scene = observed();
    expect(instrumentAiSdk({ observer: scene.observer })).toBe(scene.end);
    await generateText(agent());
    scene.end();
    await generateText(agent(undefined, wrapped(scripted(answers)) as never));
    expect(await scene.tree()).toEqual(TREE);
  });
});
