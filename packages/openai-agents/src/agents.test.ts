import * as agents from '@openai/agents';
import { afterEach, describe, expect, it } from 'vitest';
import { call, endScenes, observed, planner, Scripted, text, weather } from './scene.test-support.js';

const { run } = agents;

afterEach(endScenes);

describe('an agent', () => {
  it('that is a tool of another is below its call, with the calls of its own', async () => {
    const scene = observed();
    const child = new agents.Agent({
      name: 'researcher',
      tools: [weather()],
      model: new Scripted([[call('call_1')], [text()]], 'child'),
    });
    const delegate = child.asTool({ toolName: 'delegate', toolDescription: 'd' });
    const steps = [[call('call_1', 'delegate', { input: 'dig' })], [text()]];
    await run(planner(steps, { tools: [delegate] }), 'x');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: tool_calls 10>5',
      '  execute_tool delegate: ok',
      '    invoke_agent researcher: completed',
      '      chat child: tool_calls 10>5',
      '      execute_tool weather: ok',
      '      chat child: stop 10>5',
      '  chat m: stop 10>5',
    ]);
  });

  it('that is a tool and asks a person has its question below the call, in both runs', async () => {
    const scene = observed();
    const child = new agents.Agent({
      name: 'researcher',
      tools: [weather(undefined, { needsApproval: true })],
      model: new Scripted([[call('call_2')], [text()]], 'child'),
    });
    const delegate = child.asTool({ toolName: 'delegate', toolDescription: 'd' });
    const agent = planner([[call('call_1', 'delegate', { input: 'dig' })], [text()]], { tools: [delegate] });
    const asked = await run(agent, 'x');
    for (const question of asked.interruptions) asked.state.approve(question);
    expect((await run(agent, asked.state)).finalOutput).toBe('Sunny.');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: tool_calls 10>5',
      '  execute_tool delegate: incomplete',
      '    invoke_agent researcher: completed',
      '      chat child: tool_calls 10>5',
      '      approval weather: pending',
      'invoke_agent hermes: completed',
      '  execute_tool delegate: ok',
      '    invoke_agent researcher: completed',
      '      execute_tool weather: ok',
      '        approval weather: once',
      '      chat child: stop 10>5',
      '  chat m: stop 10>5',
    ]);
  });

  it('that is handed the conversation and hands it on is a child of the run; the first one goes on in the run', async () => {
    const scene = observed();
    const end = new agents.Agent({
      name: 'end',
      tools: [weather()],
      model: new Scripted([[call('call_3')], [call('call_4', 'transfer_to_planner', {})]], 'e'),
    });
    const middle = new agents.Agent({
      name: 'middle',
      handoffs: [end],
      model: new Scripted([[call('call_2', 'transfer_to_end', {})]], 'd'),
    });
    const agent = planner([[call('call_1', 'transfer_to_middle', {})], [text()]], { handoffs: [middle] });
    end.handoffs = [agent];
    const { finalOutput } = await run(agent, 'x');
    expect(finalOutput).toBe('Sunny.');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: tool_calls 10>5',
      '  invoke_agent middle: completed',
      '    chat d: tool_calls 10>5',
      '  invoke_agent end: completed',
      '    chat e: tool_calls 10>5',
      '    execute_tool weather: ok',
      '    chat e: tool_calls 10>5',
      '  chat m: stop 10>5',
    ]);
  });

  it('that a guard asks is a child of the run', async () => {
    const scene = observed();
    const checker = new agents.Agent({ name: 'checker', model: new Scripted([[text('fine')]], 'c') });
    const guard = {
      name: 'g',
      execute: async () => ({
        tripwireTriggered: (await run(checker, 'is it?')).finalOutput !== 'fine',
        outputInfo: {},
      }),
    };
    await run(planner([[text()]], { inputGuardrails: [{ ...guard, runInParallel: false }] }), 'x');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  invoke_agent checker: completed',
      '    chat c: stop 10>5',
      '  chat m: stop 10>5',
    ]);
  });
});
