import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodFunction } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  chatAnswer,
  chatCallChunks,
  chatDeltas,
  chatEnd,
  messageAnswer,
  messageCallEvents,
  messageDeltas,
  messageEnd,
  messageStart,
} from './answers.test-support.js';
import { withTurn } from './index.js';
import { json, sse } from './loopback-server.test-support.js';
import { chat, message, observed, type Scene, server, weather } from './scene.test-support.js';

const other = { id: 'call_2', name: 'weather', args: { city: 'Rome' } };
const TREE = [
  'invoke_agent hermes: completed',
  '  chat m: tool_calls 10>5',
  '  execute_tool weather: ok',
  '  chat m: stop 10>5',
];
const TWO_TOOLS = [...TREE.slice(0, 3), ...TREE.slice(2)];
const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));
/** A thenable whose `then` gives nothing: `await` does not care. */
const eventually = (text: string): PromiseLike<string> => ({
  // biome-ignore lint/suspicious/noThenProperty: it is a thenable
  then(resolve) {
    setTimeout(() => resolve?.(text), 2);
    return undefined as never;
  },
});
const idsOf = (scene: Scene) =>
  scene.payloads('post_tool_call').map(({ tool_call_id, args }) => [tool_call_id, (args as { city: string }).city]);

describe('runTools of OpenAI', () => {
  const tool = (run: (args: { city: string }) => unknown) => ({
    type: 'function' as const,
    function: {
      name: 'weather',
      description: 'The weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      parse: JSON.parse as (text: string) => { city: string },
      function: run as (args: { city: string }) => Promise<string>,
    },
  });
  const run = (scene: Scene, tools: unknown[]) =>
    scene.openai.chat.completions.runTools({ ...chat, tools: tools as [ReturnType<typeof tool>] });

  it('is a turn with requests and tools, each with the id of its call', async () => {
    const scene = observed();
    const active: (string | undefined)[] = [];
    const original = tool(async ({ city }) => {
      active.push(scene.observer.traceContext().traceparent?.split('-')[2]);
      await sleep(city === 'Oslo' ? 20 : 1);
      return `21C in ${city}`;
    });
    server.answers(json(chatAnswer('m', null, [weather, other])), json(chatAnswer('m', 'Sunny.')));
    const events: unknown[] = [];
    const runner = run(scene, [original]).on('functionToolCallResult', (result) => events.push(result));
    expect(await runner.finalContent()).toBe('Sunny.');
    expect(events).toEqual(['21C in Oslo', '21C in Rome']);
    expect(server.requests[0]?.body.tools).toEqual([
      {
        type: 'function',
        function: {
          name: 'weather',
          description: 'The weather.',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      },
    ]);
    expect(idsOf(scene).sort()).toEqual([
      ['call_1', 'Oslo'],
      ['call_2', 'Rome'],
    ]);
    const spans = await scene.spans();
    const tools = spans.filter(({ name }) => name.startsWith('execute_tool')).map((span) => span.spanContext().spanId);
    expect(active.sort()).toEqual(tools.sort());
    expect(await scene.tree()).toEqual(TWO_TOOLS);
  });

  it('with the same arguments twice has both ids, and functions without `parse` get their text', async () => {
    const scene = observed();
    const given: unknown[] = [];
    const { parse: _, ...definition } = tool((args) => {
      given.push(args);
      return 'ok';
    }).function;
    server.answers(
      json(chatAnswer('m', null, [weather, { ...weather, id: 'call_2' }])),
      json(chatAnswer('m', 'Sunny.')),
    );
    await run(scene, [{ type: 'function', function: definition }]).done();
    expect(given).toEqual(['{"city":"Oslo"}', '{"city":"Oslo"}']);
    expect(idsOf(scene)).toEqual([
      ['call_1', 'Oslo'],
      ['call_2', 'Oslo'],
    ]);
  });

  it('of a schema, and streamed, is seen as well', async () => {
    const scene = observed();
    const parameters = z.object({ city: z.string() });
    const weatherTool = zodFunction({ name: 'weather', parameters, function: ({ city }) => city });
    server.answers(
      sse([...chatDeltas('m', 1), ...chatCallChunks('m', weather)]),
      sse([...chatDeltas('m', 2), ...chatEnd('m')]),
    );
    const body = { ...chat, stream: true as const, stream_options: { include_usage: true }, tools: [weatherTool] };
    expect(await scene.openai.chat.completions.runTools(body).finalContent()).toBe('ww');
    expect(idsOf(scene)).toEqual([['call_1', 'Oslo']]);
    expect(await scene.tree()).toEqual(TREE.map((line) => line.replace(/(10>5)$/, '$1 streamed')));
  });

  it('whose tool throws fails as it did, with the tool that threw', async () => {
    const scene = observed();
    const error = new RangeError('no such city');
    server.answers(json(chatAnswer('m', null, [weather])));
    const runner = run(scene, [
      tool(() => {
        throw error;
      }),
    ]);
    await expect(runner.done()).rejects.toThrow('no such city');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: failed ERROR',
      '  chat m: tool_calls 10>5',
      '  execute_tool weather: error ERROR',
    ]);
  });

  it('that is aborted is interrupted', async () => {
    const scene = observed();
    server.answers(json(chatAnswer('m', null, [weather])));
    const runner = run(scene, [
      tool(async () => {
        runner.abort();
        return 'late';
      }),
    ]);
    await expect(runner.done()).rejects.toThrow(/abort/i);
    expect((await scene.tree())[0]).toBe('invoke_agent hermes: interrupted');
  });

  it('calls what the program has made of its tool since', async () => {
    const scene = observed();
    const one = tool(() => 'early');
    server.answers(json(chatAnswer('m', null, [weather])), json(chatAnswer('m', 'Sunny.')));
    const runner = run(scene, [one]);
    one.function.function = async () => 'late';
    await runner.done();
    const { messages } = server.requests[1]?.body ?? {};
    expect((messages as unknown[]).at(-1)).toMatchObject({ content: 'late' });
  });

  it('tells the model what a thenable comes to', async () => {
    const scene = observed();
    server.answers(json(chatAnswer('m', null, [weather])), json(chatAnswer('m', 'Sunny.')));
    await run(scene, [tool(() => eventually('21C'))]).done();
    const { messages } = server.requests[1]?.body ?? {};
    expect((messages as unknown[]).at(-1)).toMatchObject({ content: '21C' });
    expect(scene.payloads('post_tool_call')).toMatchObject([{ result: '21C', status: 'ok' }]);
  });

  it('in a turn is part of it', async () => {
    const scene = observed();
    server.answers(json(chatAnswer('m', null, [weather])), json(chatAnswer('m', 'Sunny.')));
    const ask = () => run(scene, [tool(() => 'ok')]).finalContent();
    expect(await withTurn({ userMessage: 'x' }, ask)).toBe('Sunny.');
    expect(await scene.tree()).toEqual(TREE);
  });
});

describe('toolRunner of Anthropic', () => {
  const tool = (run: (input: { city: string }) => string | Promise<string>) =>
    betaZodTool({ name: 'weather', description: 'w', inputSchema: z.object({ city: z.string() }), run });
  const run = (scene: Scene, one: ReturnType<typeof tool>) =>
    scene.anthropic.beta.messages.toolRunner({ ...message, tools: [one] });
  const answers = () =>
    server.answers(json(messageAnswer('m', null, [weather, other])), json(messageAnswer('m', 'Sunny.')));

  it('is a turn with requests and tools, each with the id of its call', async () => {
    const scene = observed();
    answers();
    const { content } = await run(
      scene,
      tool(async ({ city }) => {
        await sleep(city === 'Oslo' ? 20 : 1);
        return `21C in ${city}`;
      }),
    );
    expect(content).toMatchObject([{ text: 'Sunny.' }]);
    const { messages } = server.requests[1]?.body ?? {};
    expect((messages as unknown[]).at(-1)).toMatchObject({
      content: [{ tool_use_id: 'call_1', content: '21C in Oslo' }, { content: '21C in Rome' }],
    });
    expect(idsOf(scene).sort()).toEqual([
      ['call_1', 'Oslo'],
      ['call_2', 'Rome'],
    ]);
    expect(await scene.tree()).toEqual(TWO_TOOLS);
  });

  it('whose tools throw tells the model, and goes on', async () => {
    const scene = observed();
    answers();
    const throws = tool(() => {
      throw new RangeError('no such city');
    });
    for await (const { role } of run(scene, throws)) expect(role).toBe('assistant');
    expect(await scene.tree()).toEqual(TWO_TOOLS.map((line) => line.replace('weather: ok', 'weather: error ERROR')));
  });

  it('that streams is followed, though its parts are read by another part of the client', async () => {
    const scene = observed();
    server.answers(
      sse([...messageStart('m'), ...messageDeltas(1), ...messageCallEvents(weather)]),
      sse([...messageStart('m'), ...messageDeltas(2), ...messageEnd()]),
    );
    const runner = scene.anthropic.beta.messages.toolRunner({ ...message, stream: true, tools: [tool(() => 'ok')] });
    const texts: string[] = [];
    for await (const stream of runner) {
      for await (const event of stream) if (event.type === 'content_block_delta') texts.push(event.delta.type);
    }
    expect(texts).toEqual(['text_delta', 'input_json_delta', 'input_json_delta', 'text_delta', 'text_delta']);
    expect(await scene.tree()).toEqual(TREE.map((line) => line.replace(/(10>5)$/, '$1 streamed')));
  });

  it('that is left half way interrupts its turn', async () => {
    const scene = observed();
    answers();
    for await (const _ of run(
      scene,
      tool(() => 'ok'),
    ))
      break;
    expect(await scene.tree()).toEqual(['invoke_agent hermes: interrupted', TREE[1]]);
  });

  it('tells the model what a thenable comes to', async () => {
    const scene = observed();
    answers();
    await run(
      scene,
      tool(() => eventually('21C') as Promise<string>),
    );
    const { messages } = server.requests[1]?.body ?? {};
    expect((messages as unknown[]).at(-1)).toMatchObject({ content: [{ content: '21C' }, { content: '21C' }] });
    expect(await scene.tree()).toEqual(TWO_TOOLS);
  });

  it('takes an error that the program throws into its iterator, and fails with it', async () => {
    const scene = observed();
    const error = new RangeError('enough');
    const loop = () => {
      answers();
      return run(
        scene,
        tool(() => 'ok'),
      );
    };
    async function* around() {
      yield* loop();
    }
    for (const iterator of [loop()[Symbol.asyncIterator](), around()]) {
      await iterator.next();
      await expect(iterator.throw?.(error)).rejects.toBe(error);
      expect(await iterator.next()).toEqual({ value: undefined, done: true });
    }
    const failed = ['invoke_agent hermes: failed ERROR', TREE[1]];
    expect(await scene.tree()).toEqual([...failed, ...failed]);
  });

  it('in a turn is part of it', async () => {
    const scene = observed();
    answers();
    await withTurn({}, () =>
      run(
        scene,
        tool(() => 'ok'),
      ),
    );
    expect(await scene.tree()).toEqual(TWO_TOOLS);
  });

  it('leaves each tool the object it is: its state, its privates, what it becomes, and its `run` in the end', async () => {
    class Weather {
      readonly #unit = 'C';
      readonly name = 'weather';
      readonly description = 'w';
      readonly input_schema = { type: 'object' as const, properties: { city: { type: 'string' } } };
      parsed = 0;
      parse(input: unknown) {
        this.parsed++;
        return { ...(input as { city: string }), unit: this.#unit };
      }
      run({ city, unit }: { city: string; unit: string }) {
        return `${this.parsed}${unit} in ${city}${this.#unit}`;
      }
    }
    const scene = observed();
    const own = new Weather();
    const late = { ...tool(() => 'early') };
    const run = () => {
      server.answers(json(messageAnswer('m', null, [weather])), json(messageAnswer('m', 'Sunny.')));
      return (one: unknown) => scene.anthropic.beta.messages.toolRunner({ ...message, tools: [one as typeof late] });
    };
    const sent = () => {
      const { messages } = server.requests.at(-1)?.body ?? {};
      return (messages as { content: unknown }[]).at(-1)?.content;
    };
    const runner = run()(own);
    expect(runner.params.tools[0]).toBe(own);
    await runner;
    expect(sent()).toMatchObject([{ content: '1C in OsloC' }]);
    expect(Object.hasOwn(own, 'run')).toBe(false);
    const lateRunner = run()(late);
    late.run = () => 'late';
    const { run: kept } = late;
    await lateRunner;
    expect(sent()).toMatchObject([{ content: 'late' }]);
    expect(Object.getOwnPropertyDescriptor(late, 'run')).toEqual({
      value: kept,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    for await (const _ of run()(late)) late.run = () => 'later';
    expect(sent()).toMatchObject([{ content: 'later' }]);
    await run()(Object.freeze(new Weather()));
    expect(sent()).toMatchObject([{ is_error: true, content: expect.stringMatching(/read only/) as string }]);
    const frozen = Object.freeze({ ...tool(() => 'frozen') });
    await run()(frozen);
    expect(sent()).toMatchObject([{ content: 'frozen' }]);
    expect((await scene.tree()).filter((line) => line.includes('execute_tool'))).toEqual(
      Array(4).fill('  execute_tool weather: ok'),
    );
  });

  it('sees calls that start while their reply is read, and those that the program asks for', async () => {
    const scene = observed();
    server.answers(
      sse([...messageStart('m'), ...messageDeltas(1), ...messageCallEvents(weather)]),
      sse([...messageStart('m'), ...messageDeltas(2), ...messageEnd()]),
    );
    const body = { ...message, stream: true as const, runToolsEagerly: true, tools: [tool(() => 'ok')] };
    for await (const stream of scene.anthropic.beta.messages.toolRunner(body)) for await (const _ of stream);
    answers();
    const runner = run(
      scene,
      tool(() => 'ok'),
    );
    for await (const _ of runner) await runner.generateToolResponse();
    expect(await scene.tree()).toEqual([...TREE.map((line) => line.replace(/(10>5)$/, '$1 streamed')), ...TWO_TOOLS]);
  });

  it('for two at once with one tool tells each of its own calls, and none of the program', async () => {
    const scene = observed();
    const one = tool(async ({ city }) => {
      await sleep(5);
      return city;
    });
    const again = { ...tool(async (input) => `${await one.run(input)}`) };
    server.answers(
      json(messageAnswer('m', null, [weather])),
      json(messageAnswer('m', null, [other])),
      json(messageAnswer('m', 'Sunny.')),
      json(messageAnswer('m', 'Sunny.')),
    );
    await Promise.all([run(scene, again), run(scene, again)]);
    expect(await scene.tree()).toEqual([...TREE, ...TREE]);
  });
});
