// The OpenAI Agents SDK, with its model of the Responses API: only models of the SDK make spans of requests, the scripted one does not.
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
  input_tokens: INPUT_TOKENS,
  output_tokens: OUTPUT_TOKENS,
  total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: CALL_ID,
  name: TOOL,
  arguments: JSON.stringify(ARGUMENTS),
  status: 'completed',
};
const says = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: ANSWER, annotations: [] }],
};
const response = (output, status = 'completed') => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: MODEL,
  status,
  output,
  usage,
});
const event = (type, data) => [type, { type, ...data }];
const streamOf = (item, deltas) => [
  event('response.created', { response: response([], 'in_progress') }),
  ...deltas.map((delta) => event('response.output_text.delta', { item_id: 'msg_1', output_index: 0, delta })),
  event('response.completed', { response: response([item]) }),
];

const fetch = fakeFetch({
  answers: [response([call]), response([says])],
  streams: [streamOf(call, []), streamOf(says, CHUNKS)],
});

async function agent({ load }) {
  const { Agent, OpenAIResponsesModel, run, tool } = await load('@openai/agents');
  const { OpenAI } = await load('openai');
  const { z } = await load('zod');
  const client = new OpenAI({ apiKey: 'none', maxRetries: 0, fetch });
  const weather = tool({
    name: TOOL,
    description: 'The weather.',
    parameters: z.object({ city: z.string(), country: z.string(), unit: z.string() }),
    execute: async () => JSON.stringify(RESULT),
  });
  const model = new OpenAIResponsesModel(client, MODEL);
  const one = new Agent({ name: 'bench', instructions: SYSTEM, tools: [weather], model });
  return {
    plain: async () => (await run(one, PROMPT)).finalOutput,
    streamed: async () => {
      const result = await run(one, PROMPT, { stream: true });
      let all = '';
      for await (const { type, data } of result)
        if (type === 'raw_model_stream_event' && data.type === 'output_text_delta') all += data.delta;
      return all;
    },
  };
}

/** The SDK's own exporter to OpenAI is taken out, as it would be where its traces go elsewhere: it has no key here. */
async function withoutOwnExporter(load) {
  const { setTraceProcessors } = await load('@openai/agents');
  setTraceProcessors([]);
}

const ourSetup =
  (capture) =>
  async ({ load, url }) => {
    await withoutOwnExporter(load);
    const { instrumentOpenAIAgents } = await import('@hermes-observer/openai-agents');
    const { observer, flush } = ours(url, capture);
    instrumentOpenAIAgents({ observer, agents: await load('@openai/agents') });
    return { flush };
  };

/** In place of what is there, which is its default. */
async function openInference(load) {
  const { OpenAIAgentsInstrumentation } = await load('@arizeai/openinference-instrumentation-openai-agents');
  new OpenAIAgentsInstrumentation().manuallyInstrument(await load('@openai/agents'));
}

export const openaiAgents = {
  name: 'OpenAI Agents',
  of: '@openai/agents',
  agent,
  setup: ({ load }) => withoutOwnExporter(load),
  variants: [
    { name: 'ours', setup: ourSetup('full') },
    { name: 'ours, without content', setup: ourSetup('none') },
    {
      // Langfuse has no adapter of its own here.
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
      // Of the client alone: it has nothing for agents.
      name: 'OpenLLMetry, requests alone',
      doesLess: true,
      of: '@traceloop/instrumentation-openai',
      async setup({ load, url }) {
        await withoutOwnExporter(load);
        const { OpenAI: openAI } = await load('openai');
        return openLlmetry(load, url, { openAI });
      },
    },
    {
      name: 'OpenInference',
      of: '@arizeai/openinference-instrumentation-openai-agents',
      async setup({ load, url }) {
        const { flush } = await openTelemetry(load, url);
        await openInference(load);
        return { flush };
      },
    },
    {
      name: 'OpenAI Agents itself',
      isOwn: true,
      of: '@openai/agents',
      async setup({ load, url }) {
        const { BatchTraceProcessor, OpenAITracingExporter, setTraceProcessors } = await load('@openai/agents');
        const exporter = new OpenAITracingExporter({ apiKey: 'none', endpoint: `${url}/v1/traces/ingest` });
        const processor = new BatchTraceProcessor(exporter);
        setTraceProcessors([processor]);
        return { flush: () => processor.forceFlush() };
      },
    },
  ],
};
