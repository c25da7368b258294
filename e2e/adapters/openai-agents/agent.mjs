// A program that uses the OpenAI Agents SDK, and knows of no observer. Its first argument says what it does.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [, , action, path, form] = process.argv;
const require = createRequire(import.meta.url);
const load = (id) => (form === 'require' ? require(id) : import(id));
const { Agent, RunState, run, tool } = await load('@openai/agents');
const { ScriptedModel, assistantMessage, functionCall } = await load('@openai/agents/testing');
const { z } = await load('zod');

const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  needsApproval: action !== 'run',
  execute: async () => ({ temperature: 21 }),
});
const call = functionCall('weather', { city: 'Oslo' }, { callId: 'call_1' });
const agent = (...steps) => new Agent({ name: 'planner', tools: [weather], model: new ScriptedModel(steps) });
const answer = [assistantMessage('Sunny.')];

if (action === 'run') {
  console.log((await run(agent([call], answer), 'How is the weather?')).finalOutput);
} else if (action === 'ask') {
  const { state } = await run(agent([call]), 'How is the weather?');
  writeFileSync(path, state.toString());
} else {
  const asker = agent(answer);
  const state = await RunState.fromString(asker, readFileSync(path, 'utf8'));
  for (const question of state.getInterruptions()) {
    if (action === 'allow') state.approve(question);
    else state.reject(question);
  }
  console.log((await run(asker, state)).finalOutput);
}
