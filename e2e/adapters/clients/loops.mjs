import { modelServer } from './server.mjs';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const messages = [{ role: 'user', content: 'How is the weather?' }];

/** Has both clients run the same loop with a tool, and prints what they answer. */
export async function run({ OpenAI, Anthropic }) {
  const { url, close } = await modelServer();
  const openai = new OpenAI({ apiKey: 'sk', baseURL: `${url}/v1` });
  const definition = { name: 'weather', parameters, parse: JSON.parse, function: () => '21' };
  const tools = [{ type: 'function', function: definition }];
  console.log(await openai.chat.completions.runTools({ model: 'gpt', messages, tools }).finalContent());
  const anthropic = new Anthropic({ apiKey: 'sk', baseURL: url });
  const tool = { name: 'weather', input_schema: parameters, parse: (input) => input, run: () => '21' };
  const runner = anthropic.beta.messages.toolRunner({ model: 'claude', max_tokens: 9, messages, tools: [tool] });
  const { content } = await runner;
  console.log(content[0].text);
  close();
}
