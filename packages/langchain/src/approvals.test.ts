import type { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agent, asks, call, input, model, observed, says, TREE, weather } from './scene.test-support.js';

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
