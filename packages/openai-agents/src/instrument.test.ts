import * as agents from '@openai/agents';
import { afterEach, describe, expect, it } from 'vitest';
import { instrumentOpenAIAgents } from './instrument.js';
import type { OpenAIAgentsOptions } from './options.js';
import { afterwards, call, endScenes, observed, planner, Scripted, TREE, text } from './scene.test-support.js';

const { run, Runner } = agents;

afterEach(endScenes);

describe('instrumenting', () => {
  it('twice with one observer makes one span each; with two observers each has its own', async () => {
    const [one, other] = [observed(), observed()];
    afterwards(instrumentOpenAIAgents({ agents, observer: one.observer }));
    await run(planner(), 'x');
    await run(planner(), 'x');
    expect(await one.tree()).toEqual([...TREE, ...TREE]);
    expect(await other.tree()).toEqual([...TREE, ...TREE]);
  });

  it('twice with one observer ends with the last of both', async () => {
    const scene = observed();
    const other = instrumentOpenAIAgents({ agents, observer: scene.observer });
    other();
    other();
    await run(planner(), 'x');
    scene.end();
    await run(planner(), 'x');
    expect(await scene.tree()).toEqual(TREE);
  });

  it('refuses wrong options, and an observer in their place', () => {
    const { observer } = observed();
    const refusal = (text: string) =>
      expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(text) });
    for (const [options, text] of [
      [observer, 'instrumentOpenAIAgents: options are an observer; pass { observer }'],
      [{ observr: observer }, 'instrumentOpenAIAgents: there is no option observr'],
      [{ observer: null }, 'observer must be an observer'],
      [{ observer: {} }, 'observer must be an observer'],
      [{ observer, frameworkSpans: 'foo' }, 'frameworkSpans is "foo"'],
      [{ observer, onWarning: 'x' }, 'onWarning must be a function'],
      [{ observer, agents: {} }, 'agents must have a Runner: pass what import'],
      [{ observer, agents: null }, 'agents must have a Runner'],
      [{ observer, agents: { Runner: () => {} } }, 'agents must have a Runner'],
    ] as [never, string][])
      expect(() => instrumentOpenAIAgents(options)).toThrow(refusal(text));
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
