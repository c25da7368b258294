// The client of Anthropic: two messages, and the tool between them in the program's own code.
import { fakeFetch } from '../fake-fetch.mjs';
import {
  ANSWER,
  ARGUMENTS,
  CALL_ID,
  CHUNKS,
  INPUT_TOKENS,
  OUTPUT_TOKENS,
  PROMPT,
  RESULT,
  SYSTEM,
  TOOL,
} from '../script.mjs';
import { langfuse, openLlmetry, openTelemetry, ours } from '../set-ups.mjs';

const MODEL = 'claude-sonnet-5';
const usage = { input_tokens: INPUT_TOKENS, output_tokens: OUTPUT_TOKENS };
const call = { type: 'tool_use', id: CALL_ID, name: TOOL, input: ARGUMENTS };
const says = { type: 'text', text: ANSWER };

const message = (block, stop_reason) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content: block === undefined ? [] : [block],
  stop_reason,
  stop_sequence: null,
  usage,
});
const event = (type, data) => [type, { type, ...data }];
const streamOf = (block, deltas, stop_reason) => [
  event('message_start', { message: { ...message(undefined, null), usage: { ...usage, output_tokens: 1 } } }),
  event('content_block_start', { index: 0, content_block: block }),
  ...deltas.map((delta) => event('content_block_delta', { index: 0, delta })),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }),
  event('message_stop', {}),
];

const fetch = fakeFetch({
  answers: [message(call, 'tool_use'), message(says, 'end_turn')],
  streams: [
    streamOf(
      { ...call, input: {} },
      [{ type: 'input_json_delta', partial_json: JSON.stringify(ARGUMENTS) }],
      'tool_use',
    ),
    streamOf(
      { ...says, text: '' },
      CHUNKS.map((text) => ({ type: 'text_delta', text })),
      'end_turn',
    ),
  ],
});

const properties = { city: { type: 'string' }, country: { type: 'string' }, unit: { type: 'string' } };
const settings = {
  model: MODEL,
  max_tokens: 1024,
  system: SYSTEM,
  tools: [{ name: TOOL, description: 'The weather.', input_schema: { type: 'object', properties } }],
};
const asked = [{ role: 'user', content: PROMPT }];
const result = [{ type: 'tool_result', tool_use_id: CALL_ID, content: JSON.stringify(RESULT) }];

const callTool = async () => ({ role: 'user', content: result });

async function agent({ load, parts }) {
  const { Anthropic } = await load('@anthropic-ai/sdk');
  // Its own spans are on wherever the OpenTelemetry API has a provider; none but the variant that is about them wants these.
  const openTelemetry = parts.isSelfTraced ? undefined : { traces: false };
  const bare = new Anthropic({ apiKey: 'none', maxRetries: 0, fetch, openTelemetry });
  const client = parts.wrap?.(bare) ?? bare;
  const turn = parts.turn ?? ((fn) => fn());
  const tool = parts.tool ?? ((fn) => fn());

  const ask = async (messages) => (await client.messages.create({ ...settings, messages })).content;
  const askForStream = async (messages) => {
    const stream = await client.messages.create({ ...settings, messages, stream: true });
    const blocks = [];
    for await (const { type, index, content_block, delta } of stream) {
      if (type === 'content_block_start') blocks[index] = { ...content_block };
      else if (delta?.type === 'text_delta') blocks[index].text += delta.text;
      else if (delta?.type === 'input_json_delta') blocks[index].input = JSON.parse(delta.partial_json);
    }
    return blocks;
  };
  const run = (request) => () =>
    turn(async () => {
      const content = await request(asked);
      const answered = await tool(callTool);
      const [last] = await request([...asked, { role: 'assistant', content }, answered]);
      return last.text;
    });
  return { plain: run(ask), streamed: run(askForStream) };
}

const ourSetup =
  (capture, isInTurns = false) =>
  async ({ url }) => {
    const { observeAnthropic, withTool, withTurn } = await import('@hermes-observer/clients');
    const { observer, flush } = ours(url, capture);
    const wrap = (client) => observeAnthropic(client, { observer });
    if (!isInTurns) return { wrap, flush };
    return {
      wrap,
      turn: (fn) => withTurn({ userMessage: PROMPT }, fn),
      tool: (fn) => withTool({ name: TOOL, callId: CALL_ID, args: ARGUMENTS }, fn),
      flush,
    };
  };

async function openInference(load) {
  const { AnthropicInstrumentation } = await load('@arizeai/openinference-instrumentation-anthropic');
  const { Anthropic } = await load('@anthropic-ai/sdk');
  new AnthropicInstrumentation().manuallyInstrument(Anthropic);
}

export const anthropic = {
  name: 'Anthropic',
  of: '@anthropic-ai/sdk',
  agent,
  variants: [
    { name: 'ours', setup: ourSetup('full') },
    { name: 'ours, without content', setup: ourSetup('none') },
    { name: 'ours, with turns and tools', setup: ourSetup('full', true) },
    {
      // Langfuse has no adapter of its own here, and tells to take OpenInference's.
      name: 'Langfuse, with OpenInference',
      of: '@langfuse/otel',
      async setup({ load, url }) {
        // Its default leaves out what it does not know as a library of models.
        const { flush } = await langfuse(load, url, { shouldExportSpan: () => true });
        await openInference(load);
        return { flush };
      },
    },
    {
      name: 'OpenLLMetry',
      of: '@traceloop/instrumentation-anthropic',
      async setup({ load, url }) {
        // It asks for a method that the client no longer has, and throws without it.
        const { Anthropic, APIPromise } = await load('@anthropic-ai/sdk');
        class Completions {
          create() {}
        }
        const { Messages, Beta } = Anthropic;
        return openLlmetry(load, url, { anthropic: { Anthropic: { Completions, Messages, Beta }, APIPromise } });
      },
    },
    {
      name: 'OpenInference',
      of: '@arizeai/openinference-instrumentation-anthropic',
      async setup({ load, url }) {
        const { flush } = await openTelemetry(load, url);
        await openInference(load);
        return { flush };
      },
    },
    {
      // Its spans carry no content.
      name: 'Anthropic itself, without content',
      isOwn: true,
      doesLess: true,
      of: '@anthropic-ai/sdk',
      async setup({ load, url }) {
        const { flush } = await openTelemetry(load, url);
        return { flush, isSelfTraced: true };
      },
    },
  ],
};
