import * as agents from '@openai/agents';
import { afterEach, describe, expect, it } from 'vitest';
import { call, endScenes, observed, planner, sleep, text, weather } from './scene.test-support.js';

const { run, Runner } = agents;

afterEach(endScenes);

describe('a call', () => {
  const statuses = async (scene: ReturnType<typeof observed>) => {
    const told = scene
      .payloads('post_tool_call')
      .map(({ tool_name, status, error_type }) => [tool_name, status, error_type]);
    const tree = await scene.tree();
    expect(tree.filter((line) => line.includes('incomplete'))).toEqual([]);
    return told;
  };

  it('whose arguments are no JSON, or whose tool there is none of, is an error', async () => {
    const scene = observed();
    const steps = [[call('call_1', 'weather', '{"city":'), call('call_2', 'weather')], [text()]];
    await run(planner(steps), 'x');
    const runner = new Runner({ toolNotFoundBehavior: 'return_error_to_model' });
    await runner.run(planner([[call('call_1', 'nothing')], [text()]]), 'x');
    expect((await statuses(scene)).sort()).toEqual([
      ['nothing', 'error', 'tool_not_found'],
      ['weather', 'error', 'invalid_tool_arguments'],
      ['weather', 'ok', null],
    ]);
  });

  it('that a guard of the tool refuses is blocked', async () => {
    const scene = observed();
    const guard = agents.defineToolInputGuardrail({
      name: 'g',
      run: async () => agents.ToolGuardrailFunctionOutputFactory.rejectContent('not there'),
    });
    await run(planner(undefined, { tools: [weather(undefined, { inputGuardrails: [guard] })] }), 'x');
    expect(await statuses(scene)).toEqual([['weather', 'blocked', 'tool_guardrail']]);
  });

  it('that was denied for good is blocked without a question', async () => {
    const scene = observed();
    const agent = planner([[call('call_1')], [call('call_2')], [text()]], {
      tools: [weather(undefined, { needsApproval: true })],
    });
    const asked = await run(agent, 'x');
    for (const question of asked.interruptions) asked.state.reject(question, { alwaysReject: true });
    await run(agent, asked.state);
    expect(await statuses(scene)).toEqual([
      ['weather', 'blocked', 'user_denied'],
      ['weather', 'blocked', 'user_denied'],
    ]);
    const questions = scene.payloads('pre_approval_request');
    expect(questions.map(({ request_id, tool_call_id }) => [request_id, tool_call_id])).toEqual([
      ['call_1', 'call_1'],
      ['call_1', 'call_1'],
    ]);
    const approvals = (await scene.spans()).filter(({ name }) => name.startsWith('approval'));
    for (const { attributes } of approvals)
      expect(attributes).toMatchObject({ 'gen_ai.tool.call.id': 'call_1', 'hermes.approval.request_id': 'call_1' });
  });

  it('whose error ends the run, that takes too long, or whose error the program words itself', async () => {
    const scene = observed();
    const fails = () => {
      throw new RangeError('no such city');
    };
    await expect(run(planner(undefined, { tools: [weather(fails, { errorFunction: null })] }), 'x')).rejects.toThrow();
    await run(planner(undefined, { tools: [weather(() => sleep(200), { timeoutMs: 10 })] }), 'x');
    const words = { errorFunction: () => 'No such city, try another.' };
    await run(planner(undefined, { tools: [weather(fails, words)] }), 'x');
    expect(await statuses(scene)).toEqual([
      ['weather', 'error', 'RangeError'],
      ['weather', 'timeout', 'ToolTimeoutError'],
      ['weather', 'error', 'RangeError'],
    ]);
  });

  it('that the provider runs is a tool; one of a shell is as well', async () => {
    const scene = observed();
    const search = {
      type: 'hosted_tool_call' as const,
      id: 'ws_1',
      name: 'web_search_call',
      status: 'completed',
      arguments: '{}',
      output: 'found',
    };
    const shell = agents.shellTool({ shell: { run: async () => ({ output: [] }) } });
    const action = { commands: ['ls'] };
    const shellCall = { type: 'shell_call' as const, callId: 'call_1', status: 'completed' as const, action };
    await run(planner([[search, shellCall], [text()]], { tools: [shell] }), 'x');
    expect(await statuses(scene)).toEqual([
      ['web_search_call', 'ok', null],
      ['shell', 'ok', null],
    ]);
  });

  it('keeps its tool the object it is', async () => {
    observed();
    const tool = weather();
    const { invoke } = tool;
    await run(planner(undefined, { tools: [tool] }), 'x');
    expect(tool.invoke).toBe(invoke);
    expect(Object.keys(tool)).toEqual(Object.keys(weather()));
  });
});
