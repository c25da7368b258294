// The `openai` client: two chat completions, and the tool between them in the program's own code.
import { fakeFetch } from '../fake-fetch.mjs';
import {
  ANSWER,
  ARGUMENTS,
  CALL_ID,
  CHUNKS,
  INPUT_TOKENS,
  MODEL,
  OUTPUT_TOKENS,
  PROMPT,
  RESULT,
  SYSTEM,
  TOOL,
} from '../script.mjs';
import { langfuse, openLlmetry, openTelemetry, ours } from '../set-ups.mjs';

const usage = {
  prompt_tokens: INPUT_TOKENS,
  completion_tokens: OUTPUT_TOKENS,
  total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
};
const call = { id: CALL_ID, type: 'function', function: { name: TOOL, arguments: JSON.stringify(ARGUMENTS) } };
const calls = { role: 'assistant', content: null, refusal: null, tool_calls: [call] };
const says = { role: 'assistant', content: ANSWER, refusal: null };

const completion = (message, finish_reason) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, finish_reason, logprobs: null, message }],
  usage,
});
const chunk = (choices, counts = null) => [
  undefined,
  { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: MODEL, choices, usage: counts },
];
const delta = (content, finish_reason = null) => chunk([{ index: 0, delta: content, finish_reason }]);

const fetch = fakeFetch({
  answers: [completion(calls, 'tool_calls'), completion(says, 'stop')],
  streams: [
    [delta({ role: 'assistant', tool_calls: [{ index: 0, ...call }] }), delta({}, 'tool_calls'), chunk([], usage)],
    [...CHUNKS.map((content) => delta({ role: 'assistant', content })), delta({}, 'stop'), chunk([], usage)],
  ],
});

const properties = { city: { type: 'string' }, country: { type: 'string' }, unit: { type: 'string' } };
const tools = [{ type: 'function', function: { name: TOOL, parameters: { type: 'object', properties } } }];
const asked = [
  { role: 'system', content: SYSTEM },
  { role: 'user', content: PROMPT },
];
const answered = { role: 'tool', tool_call_id: CALL_ID, content: JSON.stringify(RESULT) };

const callTool = async () => answered;

async function agent({ load, parts }) {
  const { OpenAI } = await load('openai');
  const bare = new OpenAI({ apiKey: 'none', maxRetries: 0, fetch });
  const client = parts.wrap?.(bare) ?? bare;
  const turn = parts.turn ?? ((fn) => fn());
  const tool = parts.tool ?? ((fn) => fn());
  const settings = { model: MODEL, tools };

  const ask = async (messages) => {
    const { choices } = await client.chat.completions.create({ ...settings, messages });
    return choices[0].message;
  };
  const askForStream = async (messages) => {
    const stream_options = { include_usage: true };
    const stream = await client.chat.completions.create({ ...settings, messages, stream: true, stream_options });
    const message = { role: 'assistant', content: '', tool_calls: [] };
    for await (const { choices } of stream) {
      const { content, tool_calls = [] } = choices[0]?.delta ?? {};
      message.content += content ?? '';
      message.tool_calls.push(...tool_calls);
    }
    return message;
  };
  const run = (request) => () =>
    turn(async () => {
      const message = await request(asked);
      const result = await tool(callTool);
      return (await request([...asked, message, result])).content;
    });
  return { plain: run(ask), streamed: run(askForStream) };
}

const ourSetup =
  (capture, isInTurns = false) =>
  async ({ url }) => {
    const { observeOpenAI, withTool, withTurn } = await import('@hermes-observer/clients');
    const { observer, flush } = ours(url, capture);
    const wrap = (client) => observeOpenAI(client, { observer });
    if (!isInTurns) return { wrap, flush };
    return {
      wrap,
      turn: (fn) => withTurn({ userMessage: PROMPT }, fn),
      tool: (fn) => withTool({ name: TOOL, callId: CALL_ID, args: ARGUMENTS }, fn),
      flush,
    };
  };

export const openai = {
  name: 'openai',
  of: 'openai',
  agent,
  variants: [
    { name: 'ours', setup: ourSetup('full') },
    { name: 'ours, without content', setup: ourSetup('none') },
    { name: 'ours, with turns and tools', setup: ourSetup('full', true) },
    {
      name: 'Langfuse',
      of: '@langfuse/openai',
      async setup({ load, url }) {
        const { flush } = await langfuse(load, url);
        const { observeOpenAI } = await load('@langfuse/openai');
        return { wrap: (client) => observeOpenAI(client), flush };
      },
    },
    {
      name: 'OpenLLMetry',
      of: '@traceloop/instrumentation-openai',
      async setup({ load, url }) {
        const { OpenAI: openAI } = await load('openai');
        return openLlmetry(load, url, { openAI });
      },
    },
    {
      name: 'OpenInference',
      of: '@arizeai/openinference-instrumentation-openai',
      async setup({ load, url }) {
        const { flush } = await openTelemetry(load, url);
        const { OpenAIInstrumentation } = await load('@arizeai/openinference-instrumentation-openai');
        const { OpenAI } = await load('openai');
        new OpenAIInstrumentation().manuallyInstrument(OpenAI);
        return { flush };
      },
    },
  ],
};
