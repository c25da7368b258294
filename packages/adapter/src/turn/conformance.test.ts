import { setTimeout as sleep } from 'node:timers/promises';
import {
  conformanceCases,
  describeAdapter,
  type Play,
  type PlayScene,
  type TriedAdapter,
} from '@hermes-observer/core/testing';
import { createObserver, type Observer } from '@hermes-observer/otel';
import { describe, expect, test } from 'vitest';
import { Guard } from '../guard.js';
import type { AdapterRequest } from './request.js';
import { scopesOf } from './scope.js';
import { AdapterTurn } from './turn.js';

type Scene = PlayScene<Observer>;

const guard = new Guard('test', () => {});
const ANSWER = { usage: { inputTokens: 10, outputTokens: 5 }, finishReason: 'stop' };
const APPROVAL = { toolCallId: 'call_1', toolName: 'weather', surface: 'test' };

/** An agent that calls the parts an adapter is made of itself, as a framework's events would. */
class Agent {
  readonly turn: AdapterTurn;
  readonly #scene: Scene;

  constructor(scene: Scene, parent?: AdapterTurn, callId?: string) {
    this.#scene = scene;
    const info = parent === undefined ? { model: 'test-model' } : { agentName: 'researcher', model: 'child-model' };
    this.turn = new AdapterTurn(scene.observer, guard, info, parent, callId);
  }

  ask(finishReason = 'stop'): AdapterRequest {
    const request = this.turn.request({});
    scopesOf(this.#scene.observer, guard).run({ turn: this.turn, request }, () => this.#scene.mark('model'));
    request.end({ ...ANSWER, finishReason });
    return request;
  }

  /** One step that calls tools, and one that answers. */
  async steps(between: () => unknown): Promise<void> {
    this.ask('tool_calls');
    await between();
    this.ask();
    this.turn.end({ answer: 'Sunny.' });
  }

  tool(callId = 'call_1', name = 'weather') {
    const tool = this.turn.tool({ name, callId });
    scopesOf(this.#scene.observer, guard).run({ turn: this.turn, tool }, () => this.#scene.mark('tool', callId));
    return tool;
  }
}

const steps = (between: (agent: Agent, scene: Scene) => unknown) => async (scene: Scene) => {
  const agent = new Agent(scene);
  await agent.steps(() => between(agent, scene));
};
const single = (play: (request: AdapterRequest, agent: Agent) => unknown) => async (scene: Scene) => {
  const agent = new Agent(scene);
  play(agent.turn.request({}), agent);
};
const decided = (choice: string, status: 'ok' | 'blocked') =>
  steps((agent) => {
    const tool = agent.tool();
    agent.turn.asked(APPROVAL);
    agent.turn.answered(APPROVAL, choice);
    agent.turn.tool({ name: 'weather', callId: 'call_1' }).end({ status });
    tool.end({ status: 'error' });
  });

const overloaded = Object.assign(new Error('overloaded'), { statusCode: 503 });

const adapter: TriedAdapter<Observer> = {
  name: 'the parts',
  createObserver: (options) => createObserver({ ...options, onWarning: () => {} } as never),
  install: () => () => {},
  approvals: 'same turn',
  skip: { approvalResumed: 'tried with the AI SDK' },
  play: {
    plainTurn: async (scene) => {
      const agent = new Agent(scene);
      agent.ask();
      agent.turn.end({ answer: 'Sunny.' });
      agent.turn.end({ error: new Error('late') });
    },
    twoSteps: steps((agent) => agent.tool().end({ status: 'ok' })),
    parallelTools: steps(async (agent) => {
      const [one, other] = [agent.tool(), agent.tool('call_2')];
      other.end({ status: 'ok' });
      await sleep(2);
      one.end({ status: 'ok' });
    }),
    toolError: steps((agent) => agent.tool().end({ status: 'error', errorType: 'tool_error' })),
    toolThrows: steps((agent) => agent.tool().failed(new RangeError('x'))),
    retry: single((request, { turn }) => {
      request.failed(overloaded);
      request.retry();
      request.end(ANSWER);
      turn.end();
    }),
    stream: single((request, { turn }) => {
      request.chunk();
      request.end(ANSWER);
      turn.end();
    }),
    streamDies: single((request, { turn }) => {
      request.chunk();
      request.failed(new Error('socket hang up'));
      turn.end();
    }),
    abort: single((request, { turn }) => {
      request.chunk();
      turn.end({ error: new DOMException('stop', 'AbortError') });
    }),
    nestedAgent: steps((agent, scene) => {
      const tool = agent.tool('call_1', 'delegate');
      const child = new Agent(scene, agent.turn, 'call_1');
      child.ask();
      child.turn.end({ answer: 'Sunny.' });
      tool.end({ status: 'ok' });
    }),
    approvalGranted: decided('once', 'ok'),
    approvalDenied: decided('deny', 'blocked'),
    handoff: async (scene) => {
      const agent = new Agent(scene);
      agent.ask('tool_calls');
      const child = new Agent(scene, agent.turn);
      child.ask();
      child.turn.end({ answer: 'Sunny.' });
      agent.turn.end({ answer: 'Sunny.' });
    },
  },
};

test('what is skipped has a reason', () => {
  expect(describeAdapter(() => {}, adapter)).toEqual({
    'approvalResumed, with faults': 'tried with the AI SDK',
    approvalResumed: 'tried with the AI SDK',
    'approvalResumed, as without an adapter': 'tried with the AI SDK',
  });
});

describeAdapter(test, adapter);

describe('the kit fails', () => {
  const first = (changed: Partial<TriedAdapter<Observer>>) => conformanceCases({ ...adapter, ...changed })[0]?.run();

  test('for a tree that is another', async () => {
    const plainTurn = steps(() => {});
    await expect(first({ play: { plainTurn } })).rejects.toThrow('Expected values to be strictly deep-equal');
  });

  test('for a behaviour that is neither played nor skipped', async () => {
    await expect(first({ play: {} })).rejects.toThrow('neither a play nor a reason to skip: The model answers.');
  });

  test('for code that runs without its span', async () => {
    const plainTurn = async (scene: Scene) => {
      const agent = new Agent(scene);
      agent.ask();
      scene.mark('tool', 'call_1');
      agent.turn.end();
    };
    await expect(first({ play: { plainTurn } })).rejects.toThrow(
      'in the code of the tool for call_1 the active span is none',
    );
  });

  test('for an adapter that changes what the program gets', async () => {
    let installed = false;
    const install = () => {
      installed = true;
      return () => {
        installed = false;
      };
    };
    const cases = conformanceCases({ ...adapter, install, play: { plainTurn: async () => installed } });
    await expect(cases[1]?.run()).rejects.toThrow('deep-equal');
  });

  test('with what a play threw, where the tree is another', async () => {
    const plainTurn = () => Promise.reject(new RangeError('no such model'));
    const failure = await first({ play: { plainTurn } })?.catch((error: Error) => error);
    expect(failure).toMatchObject({
      name: 'AssertionError',
      message: expect.stringMatching(/^the play threw RangeError: no such model\n(.|\n)*strictly deep-equal/),
      actual: [],
    });
  });

  test('for a play that throws with and without the adapter, where its turn completes', async () => {
    const plainTurn = () => Promise.reject(new RangeError('no such model'));
    for (const one of conformanceCases({ ...adapter, play: { plainTurn } }).slice(1, 3))
      await expect(one.run()).rejects.toThrow('the play of plainTurn threw RangeError: no such model');
  });

  test('for a mistake in a play whose turn fails, and not for how it fails', async () => {
    const cases = (streamDies: Play<Observer>) =>
      conformanceCases({ ...adapter, play: { streamDies } }).filter(({ name }) => name.startsWith('streamDies,'));
    for (const error of [new TypeError('x is not a function'), new ReferenceError('x is not defined')])
      await expect(cases(() => Promise.reject(error))[0]?.run()).rejects.toThrow(error.message);
    await cases(() => Promise.reject(new TypeError('terminated')))[0]?.run();
  });
});

test('a play may take `mark` out of its scene', async () => {
  const plainTurn: Play<Observer> = ({ mark }) => mark('model');
  const [, transparent] = conformanceCases({ ...adapter, play: { plainTurn } });
  await transparent?.run();
});
