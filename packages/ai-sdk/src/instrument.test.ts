import { AdapterTurn, withSession } from '@hermes-observer/adapter';
import { type Heard, heardBy, KeptSpans } from '@hermes-observer/core/testing';
import { createObserver, type Observer, type ObserverOptions } from '@hermes-observer/otel';
import { context, createContextKey, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { generateText, isStepCount, simulateReadableStream, streamText, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { instrumentAiSdk } from './instrument.js';
import type { AiSdkOptions } from './options.js';
import { AiSdkTracing } from './tracing/tracing.js';

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
const agent = (execute: () => unknown = () => ({ temperature: 21 })) => {
  let step = 0;
  return {
    model: new MockLanguageModelV4({
      provider: 'mock.chat',
      modelId: 'm',
      doGenerate: async () => answers[step++] as (typeof answers)[0],
    }),
    tools: {
      weather: tool({
        inputSchema: z.object({ city: z.string() }),
        execute: async () => {
          await null;
          return execute() as object;
        },
      }),
    },
    stopWhen: isStepCount(3),
    prompt: 'How is the weather?',
  };
};
const textModel = () =>
  new MockLanguageModelV4({
    provider: 'mock',
    modelId: 'm',
    doGenerate: async () => answers[1] as (typeof answers)[1],
  });

const TREE = [
  'invoke_agent hermes: completed',
  '  chat m: tool_calls 10>5',
  '  execute_tool weather: ok',
  '  chat m: stop 10>5',
];

interface Scene extends Heard {
  readonly observer: Observer;
  readonly warnings: string[];
  readonly end: () => void;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function observed(options: AiSdkOptions = {}, observerOptions: ObserverOptions = {}): Scene {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept as never], env: {}, onWarning: () => {}, ...observerOptions });
  const warnings: string[] = [];
  const onWarning = (text: string) => void warnings.push(text);
  const heard = heardBy(observer, kept);
  const end = instrumentAiSdk({ observer, onWarning, ...options });
  ends.push(end);
  return { ...heard, observer, warnings, end };
}

const only = <T>(all: readonly T[]): T => {
  expect(all).toHaveLength(1);
  return all[0] as T;
};

describe('a run of the AI SDK', () => {
  it('has what was called and given in the messages of the next request, in the format of its answers', async () => {
    const scene = observed({}, { capture: 'full' });
    await generateText(agent());
    const spans = await scene.spans();
    const last = spans.filter(({ name }) => name === 'chat m').at(-1);
    expect(JSON.parse(String(last?.attributes['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'How is the weather?' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } }],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: { temperature: 21 } }] },
    ]);
  });

  it('has messages, answers, arguments, results and the whole usage in its records', async () => {
    const scene = observed();
    await generateText({ ...agent(), telemetry: { functionId: 'planner' } });
    const [first, last] = scene.payloads('post_api_request');
    expect(only(scene.payloads('pre_llm_call'))).toMatchObject({ user_message: 'How is the weather?', model: 'm' });
    expect(scene.payloads('pre_api_request')[0]).toMatchObject({ provider: 'mock', message_count: 1 });
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

  it('whose inputs and outputs are hidden tells usage and status, and nothing of what was said', async () => {
    const scene = observed();
    const hidden = { recordInputs: false, recordOutputs: false };
    const fails = () => {
      throw new RangeError('no such city');
    };
    await generateText({ ...agent(fails), telemetry: hidden });
    const told = [
      'pre_llm_call',
      'pre_api_request',
      'post_api_request',
      'pre_tool_call',
      'post_tool_call',
      'post_llm_call',
    ];
    for (const hook of told) {
      expect(scene.payloads(hook).length, hook).toBeGreaterThan(0);
      expect(JSON.stringify(scene.payloads(hook)), hook).not.toMatch(/Sunny|Oslo|How is|no such city/);
    }
    expect(await scene.tree()).toEqual(TREE.map((line) => line.replace('weather: ok', 'weather: error ERROR')));
  });

  it.each([
    [Object.assign(new Error('secret'), { name: 'AI_APICallError', statusCode: 400 }), 'failed ERROR', 'x400 ERROR'],
    [new DOMException('secret', 'AbortError'), 'interrupted', 'cancelled'],
  ])('whose errors are hidden tells how it failed, not what the error says: %s', async (error, outcome, request) => {
    const scene = observed();
    const fails = new MockLanguageModelV4({
      modelId: 'm',
      doGenerate: async () => {
        throw error;
      },
    });
    const hidden = { recordInputs: false, recordOutputs: false };
    await expect(generateText({ model: fails, prompt: 'x', maxRetries: 0, telemetry: hidden })).rejects.toBe(error);
    expect(JSON.stringify(scene.payloads('api_request_error'))).not.toMatch(/secret/);
    expect(JSON.stringify(scene.payloads('on_session_end'))).not.toMatch(/secret/);
    expect(await scene.tree()).toEqual([`invoke_agent hermes: ${outcome}`, `  chat m: ${request}`]);
  });

  it.each([
    ['denied' as const, 'blocked'],
    ['approved' as const, 'ok'],
  ])('whose calls are %s by a rule, of which nobody is asked, has no approval', async (weather, status) => {
    const scene = observed();
    await generateText({ ...agent(), toolApproval: { weather } });
    expect(await scene.tree()).toEqual(TREE.map((line) => line.replace('weather: ok', `weather: ${status}`)));
  });

  it('with integrations of its own is seen all the same', async () => {
    const scene = observed();
    const seen: string[] = [];
    await generateText({ ...agent(), telemetry: { integrations: { onEnd: () => void seen.push('end') } } });
    expect(seen).toEqual(['end']);
    expect(await scene.tree()).toEqual(TREE);
  });

  it('with telemetry switched off is not', async () => {
    const scene = observed();
    await generateText({ ...agent(), telemetry: { isEnabled: false } });
    expect(await scene.tree()).toEqual([]);
  });

  it('in a turn of the program is part of its trace', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    ends.push(() => context.disable());
    const scene = observed();
    await scene.observer.turn({}, () => generateText(agent()).then(({ text }) => text));
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', ...TREE.map((line) => `  ${line}`)]);
  });

  it('has its span active in code of tools, for the OpenTelemetry API too, beside what the program set there', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    ends.push(() => context.disable());
    const scene = observed();
    const key = createContextKey('of the program');
    let active: unknown;
    let own: unknown;
    const look = () => {
      active = trace.getActiveSpan()?.spanContext().spanId;
      own = context.active().getValue(key);
      return { temperature: 21 };
    };
    await context.with(context.active().setValue(key, 'there'), () => generateText(agent(look)));
    const tool = (await scene.spans()).find(({ name }) => name.startsWith('execute_tool'));
    expect(active).toBe(tool?.spanContext().spanId);
    expect(own).toBe('there');
  });
});

describe('a streamed answer', () => {
  const breaks = (error: unknown) =>
    new MockLanguageModelV4({
      provider: 'mock',
      modelId: 'm',
      doStream: async () => {
        let parts = 0;
        const pull = (controller: ReadableStreamDefaultController) => {
          if (parts++ > 0) return controller.error(error);
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id: 't' });
          controller.enqueue({ type: 'text-delta', id: 't', delta: 'a' });
        };
        return { stream: new ReadableStream({ pull }) as never };
      },
    });

  it('whose connection breaks fails the turn, and the program gets the error itself', async () => {
    const scene = observed();
    const error = new Error('socket hang up');
    const { textStream } = streamText({ model: breaks(error), prompt: 'x', onError: () => {} });
    let thrown: unknown;
    try {
      for await (const _ of textStream);
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toBe(error);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', '  chat m: x ERROR']);
  });
});

describe('a streamed answer of a call that hides what it says', () => {
  it('tells usage, and of an error its class alone', async () => {
    const scene = observed();
    const telemetry = { recordInputs: false, recordOutputs: false };
    const parts = (last: object) => [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'secret' },
      last,
    ];
    for (const last of [
      { type: 'finish', finishReason: stop, usage },
      { type: 'error', error: new RangeError('secret') },
    ]) {
      const doStream = async () => ({ stream: simulateReadableStream({ chunks: parts(last) as never[] }) });
      const model = new MockLanguageModelV4({ modelId: 'm', doStream });
      const { textStream } = streamText({ model, prompt: 'x', telemetry, onError: () => {} });
      for await (const _ of textStream);
    }
    for (const hook of ['post_api_request', 'api_request_error', 'on_session_end']) {
      expect(JSON.stringify(scene.payloads(hook))).not.toMatch(/secret/);
    }
    expect(only(scene.payloads('api_request_error'))).toMatchObject({ error: { type: 'RangeError' } });
    expect((await scene.tree()).sort()).toEqual([
      '  chat m: stop 10>5 streamed',
      '  chat m: x ERROR',
      'invoke_agent hermes: completed',
      'invoke_agent hermes: failed ERROR',
    ]);
  });
});

describe('a session', () => {
  it('is that of the runtime context, else of withSession, else one of each turn', async () => {
    const scene = observed();
    const options = () => ({ model: textModel(), prompt: 'x' });
    const telemetry = { includeRuntimeContext: { sessionId: true } };
    await withSession({ sessionId: 's-1' }, async () => {
      await generateText({ ...options(), runtimeContext: { sessionId: 's-2' }, telemetry });
      await generateText(options());
    });
    await generateText(options());
    const ids = scene.payloads('pre_llm_call').map(({ session_id }) => session_id);
    expect(ids.slice(0, 2)).toEqual(['s-2', 's-1']);
    expect(ids[2]).toMatch(/^session_/);
  });
});

describe('spans of the SDK itself', () => {
  const place = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: object[] };
  class OpenTelemetry {}
  const registers = () => {
    const one = new OpenTelemetry();
    place.AI_SDK_TELEMETRY_INTEGRATIONS?.push(one);
    ends.push(() => {
      const all = place.AI_SDK_TELEMETRY_INTEGRATIONS ?? [];
      all.splice(all.indexOf(one), 1);
    });
  };

  it.each<[AiSdkOptions['frameworkSpans'], number, number]>([
    [undefined, 1, 4],
    ['keep', 0, 4],
    ['yield', 0, 0],
  ])('where they are made too, with %s: %i warnings, %i spans for a run', async (frameworkSpans, warnings, spans) => {
    const scene = observed({ frameworkSpans });
    registers();
    await generateText(agent());
    await generateText({ model: textModel(), prompt: 'x' });
    expect(scene.warnings).toHaveLength(warnings);
    expect((await scene.spans()).length).toBe(spans === 0 ? 0 : spans + 2);
  });
});

describe('instrumenting', () => {
  it('twice with one observer makes one span each; with two observers each has its own', async () => {
    const [one, other] = [observed(), observed()];
    ends.push(instrumentAiSdk({ observer: one.observer }));
    await generateText(agent());
    expect(await one.tree()).toEqual(TREE);
    expect(await other.tree()).toEqual(TREE);
  });

  it('twice with one observer ends with the last of both', async () => {
    const scene = observed();
    const other = instrumentAiSdk({ observer: scene.observer });
    scene.end();
    scene.end();
    await generateText(agent());
    other();
    await generateText(agent());
    expect(await scene.tree()).toEqual(TREE);
  });

  it('ends', async () => {
    const scene = observed();
    scene.end();
    scene.end();
    await generateText(agent());
    expect(await scene.tree()).toEqual([]);
  });
});

describe('a fault of the adapter', () => {
  const faults: [{ constructor: { name: string } }, string][] = [
    [AiSdkTracing.prototype, 'start'],
    [AiSdkTracing.prototype, 'ended'],
    [AiSdkTracing.prototype, 'stepEnded'],
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
      const original = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
      let thrown = 0;
      ends.push(() => Object.defineProperty(prototype, name, original));
      Object.defineProperty(prototype, name, {
        ...original,
        value: () => {
          thrown++;
          throw new Error('adapter');
        },
      });
      observed();
      const { text, steps } = await generateText(agent());
      await new Promise((resolve) => setTimeout(resolve, 5));
      process.off('uncaughtException', listener);
      expect([text, steps.length]).toEqual(['Sunny.', 2]);
      expect(thrown).toBeGreaterThan(0);
      expect(uncaught).toEqual([]);
    },
  );
});
