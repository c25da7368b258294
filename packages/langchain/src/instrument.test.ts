import { AdapterTurn, withSession } from '@hermes-observer/adapter';
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { HumanMessage } from '@langchain/core/messages';
import { describe, expect, it, vi } from 'vitest';
import { instrumentLangChain, observerHandler } from './instrument.js';
import type { LangChainOptions } from './options.js';
import { agent, ends, input, model, ONE, observed, only, says, TREE, wait } from './scene.test-support.js';
import { LangChainTracing } from './tracing/tracing.js';

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
    ends.push(instrumentLangChain({ observer: one.observer }));
    await agent().invoke(input(), { callbacks: [observerHandler({ observer: one.observer })] });
    expect(await one.tree()).toEqual(TREE);
    expect(await other.tree()).toEqual(TREE);
  });

  it('twice with one observer ends with the last of both', async () => {
    const scene = observed();
    const other = instrumentLangChain({ observer: scene.observer });
    scene.end();
    scene.end();
    await agent().invoke(input());
    other();
    await agent().invoke(input());
    expect(await scene.tree()).toEqual(TREE);
  });

  it('refuses wrong options, and an observer in their place', () => {
    const { observer } = observed();
    const refusal = (text: string) =>
      expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(text) });
    for (const [options, text] of [
      [observer, 'options are an observer; pass { observer }'],
      [{ observr: observer }, 'there is no option observr'],
      [{ observer: null }, 'observer must be an observer'],
      [{ observer: {} }, 'observer must be an observer'],
      [{ observer, frameworkSpans: 'foo' }, 'frameworkSpans is "foo"'],
      [{ observer, onWarning: 'x' }, 'onWarning must be a function'],
      [{ observer, sessionKey: 5 }, 'sessionKey must be a string'],
    ] as [never, string][])
      for (const observe of [instrumentLangChain, observerHandler])
        expect(() => observe(options)).toThrow(refusal(text));
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
