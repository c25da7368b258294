// What the programs of this folder do, with the modules that they loaded. Knows of no observer.
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * @param {{ testing: any, messages: any, langchain: any, langgraph: any, z: any }} modules
 * @param {string} action `run`, `ask`, `approve` or `reject`
 * @param {string} [path] of the file that keeps what waits for a person
 */
export async function play({ testing, messages, langchain, langgraph, z }, action, path) {
  const { AIMessage, HumanMessage } = messages;
  const usage_metadata = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const call = { id: 'call_1', name: 'weather', args: { city: 'Oslo' }, type: 'tool_call' };
  const asks = new AIMessage({ content: '', tool_calls: [call], usage_metadata });
  const answers = new AIMessage({ content: 'Sunny.', usage_metadata });
  const scripted = (...steps) => {
    const model = steps.reduce((fake, step) => fake.respond(step), testing.fakeModel());
    return Object.assign(model, { getLsParams: () => ({ ls_model_name: 'test-model' }), bindTools: () => model });
  };
  const weather = langchain.tool(() => '21', {
    name: 'weather',
    description: 'The weather.',
    schema: z.object({ city: z.string() }),
  });
  const input = { messages: [new HumanMessage('How is the weather?')] };
  const last = (result) => result.messages.at(-1).content;
  if (action === 'run')
    return last(await langchain.createAgent({ model: scripted(asks, answers), tools: [weather] }).invoke(input));

  const checkpointer = new langgraph.MemorySaver();
  const agent = (...steps) =>
    langchain.createAgent({
      model: scripted(...steps),
      tools: [weather],
      checkpointer,
      middleware: [langchain.humanInTheLoopMiddleware({ interruptOn: { weather: true } })],
    });
  const config = { configurable: { thread_id: 'thread-1' } };
  if (action === 'ask') {
    await agent(asks).invoke(input, config);
    const { storage, writes } = checkpointer;
    const bytes = (_, value) =>
      value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
    writeFileSync(path, JSON.stringify({ storage, writes }, bytes));
    return '';
  }
  const bytes = (_, value) => (value?.base64 ? new Uint8Array(Buffer.from(value.base64, 'base64')) : value);
  Object.assign(checkpointer, JSON.parse(readFileSync(path, 'utf8'), bytes));
  const resume = { decisions: [{ type: action }] };
  return last(await agent(answers).invoke(new langgraph.Command({ resume }), config));
}
