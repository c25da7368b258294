import { createRequire } from 'node:module';
import * as anthropicModule from '@anthropic-ai/sdk';
import { Anthropic } from '@anthropic-ai/sdk';
import { AdapterRequest, AdapterTurn } from '@hermes-observer/adapter';
import { ObserverError } from '@hermes-observer/core';
import { KeptSpans } from '@hermes-observer/core/testing';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import * as openaiModule from 'openai';
import { describe, expect, it, vi } from 'vitest';
import { chatAnswer, chatDeltas, chatEnd, messageAnswer } from './answers.test-support.js';
import { CallGroup } from './client/call-group.js';
import { ClientCall } from './client/client-call.js';
import { Watcher } from './client/watcher.js';
import {
  instrumentAnthropic,
  instrumentOpenAI,
  observeAnthropic,
  observeOpenAI,
  withApproval,
  withTool,
  withTurn,
} from './index.js';
import { json, sse, unavailable } from './loopback-server.test-support.js';
import type { FrameworkSpans } from './options.js';
import { AgentLoop } from './runner/agent-loop.js';
import { afterTest, anthropic, chat, message, observed, openAI, server, weather } from './scene.test-support.js';

const require = createRequire(import.meta.url);
const ONE = ['invoke_agent hermes: completed', '  chat m: stop 10>5'];
const answersChat = () => server.answers(json(chatAnswer('m', 'Sunny.')));

describe('observing', () => {
  it('a client leaves others alone, and goes on in those that it gives', async () => {
    const scene = observed();
    answersChat();
    await openAI().chat.completions.create(chat);
    await scene.openai.withOptions({ timeout: 9_000 }).chat.completions.create(chat);
    server.answers(json(messageAnswer('m', 'Sunny.')));
    await scene.anthropic.withOptions({ maxRetries: 0 }).messages.create(message);
    expect(await scene.tree()).toEqual([...ONE, ...ONE]);
  });

  it('twice, and as one of all, makes one span each; each observer has its own', async () => {
    const [one, other] = [observed(), observed()];
    expect(observeOpenAI(one.openai, one.options)).toBe(one.openai);
    afterTest(instrumentOpenAI({ module: openaiModule, ...one.options }));
    observeOpenAI(one.openai, other.options);
    answersChat();
    await one.openai.chat.completions.create(chat);
    expect([await one.tree(), await other.tree()]).toEqual([ONE, ONE]);
  });

  it('all clients of a copy sees those of ES modules or of CommonJS, and ends', async () => {
    const scene = observed();
    const cjs = require('openai') as typeof openaiModule;
    expect(cjs.OpenAI).not.toBe(openaiModule.OpenAI);
    const options = { apiKey: 'sk', baseURL: `${server.url}/v1` };
    const [early, ofCjs] = [openAI(), new cjs.OpenAI(options)];
    answersChat();
    const ends = [openaiModule, cjs].map((module) => instrumentOpenAI({ module, ...scene.options }));
    await early.chat.completions.create(chat);
    await ofCjs.chat.completions.create(chat);
    ends[0]?.();
    await early.chat.completions.create(chat);
    ends[1]?.();
    await ofCjs.chat.completions.create(chat);
    expect(await scene.tree()).toEqual([...ONE, ...ONE]);
  });

  it('all clients, twice with one observer, ends with the last of both', async () => {
    const scene = observed();
    const [one, other] = [0, 1].map(() => instrumentOpenAI({ module: openaiModule, ...scene.options }));
    answersChat();
    one?.();
    one?.();
    await openAI().chat.completions.create(chat);
    other?.();
    await openAI().chat.completions.create(chat);
    expect(await scene.tree()).toEqual(ONE);
  });

  it('takes a namespace, what CommonJS gives, or a class, of clients that are extended as well', async () => {
    const scene = observed();
    class Own extends Anthropic {}
    server.answers(json(messageAnswer('m', 'Sunny.')));
    const { Anthropic: CommonJs } = require('@anthropic-ai/sdk') as typeof anthropicModule;
    for (const [module, client] of [
      [anthropicModule, anthropic()],
      [Anthropic, new Own({ apiKey: 'sk', baseURL: server.url })],
      [require('@anthropic-ai/sdk'), new CommonJs({ apiKey: 'sk', baseURL: server.url })],
    ] as [object, Anthropic][]) {
      const end = instrumentAnthropic({ module, ...scene.options });
      await client.messages.create(message);
      end();
      end();
      await client.messages.create(message);
    }
    expect(await scene.tree()).toEqual([...ONE, ...ONE, ...ONE]);
  });

  it('refuses wrong options, an observer in their place, and a call without module', () => {
    const { observer, openai } = observed();
    const refusal = (text: string) =>
      expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(text) });
    for (const [options, text] of [
      [observer, 'options are an observer; pass { observer }'],
      [{ observr: observer }, 'there is no option observr'],
      [{ observer: null }, 'observer must be an observer'],
      [{ observer: {} }, 'observer must be an observer'],
      [{ observer, frameworkSpans: 'foo' }, 'frameworkSpans is "foo"'],
      [{ observer, onWarning: 'x' }, 'onWarning must be a function'],
    ] as [never, string][]) {
      expect(() => observeOpenAI(openai, options)).toThrow(refusal(text));
      expect(() => observeAnthropic(openai, options)).toThrow(refusal(text));
      if (options === observer) continue;
      for (const instrument of [instrumentOpenAI, instrumentAnthropic])
        expect(() => instrument({ module: openaiModule, ...(options as object) })).toThrow(refusal(text));
    }
    for (const options of [undefined, { observer }, openaiModule, openaiModule.OpenAI, { module: undefined }])
      expect(() => instrumentOpenAI(options as never)).toThrow(
        refusal("the option module is missing; it must be what import * as module from 'openai' gives"),
      );
    expect(() => instrumentAnthropic({ module: 'x' as never })).toThrow(refusal('instrumentAnthropic: module must be'));
    for (const client of [undefined, null, 5, observer])
      expect(() => observeOpenAI(client as never, { observer })).toThrow(refusal('is no client'));
  });

  it.each([
    ['withTurn', withTurn],
    ['withTool', withTool],
    ['withApproval', withApproval],
  ] as [string, (...given: unknown[]) => Promise<unknown>][])('%s needs what it calls', async (name, call) => {
    for (const given of [[], [() => 1], [{}], [undefined, () => 1]])
      await expect(call(...given)).rejects.toMatchObject({
        code: 'HO_OPTION',
        message: expect.stringContaining(`${name}: pass an object, and then a function`),
      });
  });

  it('refuses what is no client', () => {
    const scene = observed();
    expect(() => observeOpenAI({}, scene.options)).toThrow('no client of openai or @anthropic-ai/sdk');
    expect(() => instrumentOpenAI({ module: {}, ...scene.options })).toThrow(ObserverError);
  });

  it('calls middleware and hooks of the program once an attempt, in the order they had', async () => {
    const scene = observed();
    const seen: string[] = [];
    const client = observeAnthropic(
      anthropic({
        middleware: [
          async (request, next) => {
            seen.push(`middleware ${request.headers.get('x-stainless-retry-count')}`);
            return next(request);
          },
        ],
        fetch: (input, init) => {
          seen.push('fetch');
          return fetch(input, init);
        },
      }),
      scene.options,
    );
    server.answers(unavailable(529), json(messageAnswer('m', 'Sunny.')));
    await client.messages.create(message);
    expect(seen).toEqual(['middleware 0', 'fetch', 'middleware 1', 'fetch']);
    expect(await scene.tree()).toEqual([ONE[0], '  chat m: stop 10>5 x529']);
  });
});

describe('spans that a client makes itself', () => {
  const registered = () => {
    const kept = new KeptSpans();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(kept as never)] });
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    afterTest(() => {
      trace.disable();
      context.disable();
    });
    return kept;
  };

  it.each<[FrameworkSpans | undefined, number, number]>([
    [undefined, 1, 2],
    ['keep', 0, 2],
    ['yield', 0, 0],
  ])('with %s: %i warnings, %i spans of ours', async (frameworkSpans, warnings, spans) => {
    const kept = registered();
    const scene = observed(frameworkSpans === undefined ? {} : { frameworkSpans });
    server.answers(json(messageAnswer('m', 'Sunny.')));
    const client = observeAnthropic(anthropic(), scene.options);
    await client.messages.create(message);
    await client.messages.create(message);
    expect(kept.spans.map(({ name }) => name)).toEqual(['anthropic.messages.create', 'anthropic.messages.create']);
    expect(scene.warnings).toHaveLength(warnings);
    expect(await scene.spans()).toHaveLength(spans * 2);
  });

  it('and are switched off are no reason to warn', async () => {
    const kept = registered();
    const scene = observed();
    server.answers(json(messageAnswer('m', 'Sunny.')));
    const client = observeAnthropic(anthropic({ openTelemetry: { traces: false } }), scene.options);
    await client.messages.create(message);
    expect([kept.spans, scene.warnings]).toEqual([[], []]);
    expect(await scene.tree()).toEqual(ONE);
  });

  it('and those of another instrumentation of its methods are told of', async () => {
    const scene = observed();
    const { completions } = scene.openai.chat;
    completions.create = Object.assign(completions.create.bind(completions), { __wrapped: true }) as never;
    answersChat();
    await completions.create(chat);
    expect(scene.warnings).toEqual([expect.stringContaining('another instrumentation')]);
  });
});

describe('a fault of the adapter', () => {
  const tools = [
    {
      type: 'function' as const,
      function: { name: 'weather', description: '', parameters: {}, parse: JSON.parse, function: () => 'ok' },
    },
  ];
  /** A bit of everything; what the program gets of it. */
  async function play(client: openaiModule.OpenAI) {
    server.answers(
      unavailable(),
      json(chatAnswer('m', 'Sunny.')),
      sse([...chatDeltas('m', 2), ...chatEnd('m')]),
      json(chatAnswer('m', 'Sunny.')),
      json(chatAnswer('m', null, [weather])),
      json(chatAnswer('m', 'Done.')),
    );
    const answer = await client.chat.completions.create(chat);
    const texts: unknown[] = [];
    for await (const { choices } of await client.chat.completions.create({ ...chat, stream: true }))
      texts.push(choices[0]?.delta.content);
    const response = await client.chat.completions.create(chat).asResponse();
    const body = await response.text();
    const content = await client.chat.completions.runTools({ ...chat, tools: tools as never }).finalContent();
    const turn = await withTurn({}, () => withTool({ name: 'x' }, () => withApproval({}, () => 'deny')));
    return { answer, texts, body, content, turn, requests: server.requests.length };
  }

  const faults: [{ constructor: { name: string } }, string][] = [
    [Watcher.prototype, 'call'],
    [Watcher.prototype, 'yields'],
    [CallGroup.prototype, 'begin'],
    [ClientCall.prototype, 'attempt'],
    [ClientCall.prototype, 'refused'],
    [ClientCall.prototype, 'retrying'],
    [ClientCall.prototype, 'answered'],
    [ClientCall.prototype, 'ended'],
    [ClientCall.prototype, 'streamed'],
    [ClientCall.prototype, 'part'],
    [AgentLoop.prototype, 'ended'],
    [AdapterTurn.prototype, 'request'],
    [AdapterTurn.prototype, 'tool'],
    [AdapterTurn.prototype, 'asked'],
    [AdapterTurn.prototype, 'answered'],
    [AdapterTurn.prototype, 'emit'],
    [AdapterTurn.prototype, 'end'],
    [AdapterTurn.prototype, 'ids'],
    [AdapterRequest.prototype, 'failed'],
    [AdapterRequest.prototype, 'end'],
  ];

  it.each(faults.map(([prototype, name]) => [prototype.constructor.name, name, prototype] as const))(
    'stays inside: %s %s',
    async (_, name, prototype) => {
      const uncaught: unknown[] = [];
      const listener = (error: unknown) => uncaught.push(error);
      process.on('uncaughtException', listener);
      afterTest(() => process.off('uncaughtException', listener));
      const without = await play(openAI());
      const broken = vi.spyOn(prototype as unknown as Record<string, () => never>, name).mockImplementation(() => {
        throw new Error('adapter');
      });
      afterTest(() => broken.mockRestore());
      expect(await play(observed().openai)).toEqual(without);
      expect(broken).toHaveBeenCalled();
      expect(uncaught).toEqual([]);
    },
  );
});
