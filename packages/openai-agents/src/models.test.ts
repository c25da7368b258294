import * as agents from '@openai/agents';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endScenes, observed, planner, Scripted, sleep, TREE, text, weather } from './scene.test-support.js';

const { run } = agents;

afterEach(endScenes);

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

  it('that a tool asks by itself is a child agent below the call, and no attempt of the run', async () => {
    const scene = observed();
    const asks = async () => {
      await new Scripted([[text()]], 'summarizer').getResponse({} as never);
      for await (const _ of new Scripted([[text()]], 'streamer').getStreamedResponse({} as never));
      return await new Scripted([new Error('no')], 'broken').getResponse({} as never).catch(() => 'none');
    };
    const agent = planner(undefined, { tools: [weather(asks)] });
    await run(agent, 'x');
    const child = (model: string, end: string, state = 'completed') => [
      `    invoke_agent ${model}: ${state}`,
      `      chat ${model}: ${end}`,
    ];
    expect(await scene.tree()).toEqual([
      ...TREE.slice(0, 3),
      ...child('summarizer', 'stop 10>5'),
      ...child('streamer', 'stop 10>5 streamed'),
      ...child('broken', 'x ERROR', 'failed ERROR'),
      ...TREE.slice(3),
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

describe('what cannot be changed', () => {
  const tree = ['invoke_agent hermes: completed', '  chat m: stop 10>5'];
  const refusing = <T extends object>(value: T): T => new Proxy(value, { defineProperty: () => false });
  class Sealed extends Scripted {
    override getResponse(request: agents.ModelRequest) {
      return super.getResponse(request);
    }
    override getStreamedResponse(request: agents.ModelRequest) {
      return super.getStreamedResponse(request);
    }
  }
  Object.freeze(Sealed.prototype);
  const frozenModel = () => {
    const inner = new Scripted([[text()]]);
    return Object.freeze({
      getResponse: (request: agents.ModelRequest) => inner.getResponse(request),
      getStreamedResponse: (request: agents.ModelRequest) => inner.getStreamedResponse(request),
    });
  };

  it.each([
    ['a model', () => planner([], { model: frozenModel() }), 1],
    ['a model of a frozen class', () => planner([], { model: new Sealed([[text()]]) }), 2],
    ['a frozen model of a frozen class', () => planner([], { model: Object.freeze(new Sealed([[text()]])) }), 1],
    ['a proxy', () => planner([], { model: refusing(frozenModel()) }), 1],
  ] as const)('is a turn all the same: %s', async (_, agent, lines) => {
    const scene = observed();
    expect((await run(agent(), 'x')).finalOutput).toBe('Sunny.');
    for await (const _ of await run(agent(), 'x', { stream: true }));
    expect(scene.warnings).toHaveLength(lines === 1 ? 1 : 0);
    const whole = tree.slice(0, lines);
    expect(await scene.tree()).toEqual([...whole, ...whole.map((line) => line.replace(/(10>5)$/, '$1 streamed'))]);
  });

  it('is a turn all the same: a provider of models', async () => {
    const scene = observed();
    const modelProvider = Object.freeze({ getModel: async () => new Scripted([[text()]]) });
    const { finalOutput } = await new agents.Runner({ modelProvider }).run(new agents.Agent({ name: 'planner' }), 'x');
    expect(finalOutput).toBe('Sunny.');
    expect(await scene.tree()).toEqual(tree.slice(0, 1));
  });

  it('is told as it went: a tool', async () => {
    const scene = observed();
    await run(planner(undefined, { tools: [Object.freeze(weather())] }), 'x');
    const fails = () => {
      throw new RangeError('no such city');
    };
    await run(planner(undefined, { tools: [Object.freeze(weather(fails))] }), 'x');
    await run(planner(undefined, { tools: [refusing(weather())] }), 'x');
    expect(scene.payloads('post_tool_call').map(({ status, error_type }) => [status, error_type])).toEqual([
      ['ok', null],
      ['error', 'tool_error'],
      ['ok', null],
    ]);
    expect(scene.warnings).toEqual([]);
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

  it('ends its turn before the program has its end', async () => {
    const scene = observed();
    const streamed = await run(planner([[text()]]), 'x', { stream: true });
    for await (const _ of streamed);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5 streamed']);
  });

  it('that breaks fails its turn before the program has the error', async () => {
    const scene = observed();
    const streamed = await run(planner([new Error('no')]), 'x', { stream: true });
    const read = async () => {
      for await (const _ of streamed);
    };
    const tree = await read().catch(() => scene.tree());
    expect(tree).toEqual(['invoke_agent hermes: failed ERROR', '  chat m: x ERROR']);
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
