// A program that uses LangChain and LangGraph, and knows of no observer. Its first argument says how it gets them.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const load = (id) => (process.argv[2] === 'require' ? require(id) : import(id));
const { createAgent, tool } = await load('langchain');
const { AIMessage } = await load('@langchain/core/messages');
const { fakeModel } = await load('@langchain/core/testing');
const { z } = await load('zod');

const call = { name: 'weather', args: { city: 'Oslo' }, id: 'call_1', type: 'tool_call' };
const model = fakeModel()
  .respond(new AIMessage({ content: '', tool_calls: [call] }))
  .respond(new AIMessage('Sunny.'));
const weather = tool(async () => '21 °C', {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
});
const agent = createAgent({ model, tools: [weather], name: 'planner' });
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'How is the weather?' }] });
console.log(messages.at(-1).content);
