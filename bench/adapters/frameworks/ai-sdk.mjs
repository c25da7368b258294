// The AI SDK, with its own mock model.
import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import {
  ANSWER,
  ARGUMENTS,
  answerLater,
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
import { EMPTY, langfuse, openInferenceProcessor, openLlmetry, openTelemetry, ours } from '../set-ups.mjs';

const usage = {
  inputTokens: { total: INPUT_TOKENS, noCache: INPUT_TOKENS },
  outputTokens: { total: OUTPUT_TOKENS, text: OUTPUT_TOKENS },
};
const call = { type: 'tool-call', toolCallId: CALL_ID, toolName: TOOL, input: JSON.stringify(ARGUMENTS) };
const callsTool = { unified: 'tool-calls', raw: 'tool_calls' };
const stops = { unified: 'stop', raw: 'stop' };
const answers = [
  { content: [call], usage, warnings: [], finishReason: callsTool },
  { content: [{ type: 'text', text: ANSWER }], usage, warnings: [], finishReason: stops },
];
const begin = { type: 'stream-start', warnings: [] };
const streams = [
  [begin, call, { type: 'finish', finishReason: callsTool, usage }],
  [
    begin,
    { type: 'text-start', id: 't' },
    ...CHUNKS.map((delta) => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: stops, usage },
  ],
];

async function agent({ load }) {
  const { generateText, streamText, isStepCount, tool } = await load('ai');
  const { MockLanguageModelV4, convertArrayToReadableStream } = await load('ai/test');
  const { z } = await load('zod');
  const inputSchema = z.object({ city: z.string(), country: z.string(), unit: z.string() });
  const tools = { [TOOL]: tool({ inputSchema, execute: async () => RESULT }) };

  const settings = () => {
    let step = 0;
    const model = new MockLanguageModelV4({
      provider: 'openai',
      modelId: MODEL,
      doGenerate: async () => {
        await answerLater();
        return answers[step++];
      },
      doStream: async () => {
        await answerLater();
        return { stream: convertArrayToReadableStream(streams[step++]) };
      },
    });
    return { model, tools, stopWhen: isStepCount(3), instructions: SYSTEM, prompt: PROMPT };
  };
  return {
    plain: async () => (await generateText(settings())).text,
    streamed: async () => {
      let all = '';
      for await (const delta of streamText(settings()).textStream) all += delta;
      return all;
    },
  };
}

/** What records content, and what its telemetry has beside it. */
async function registerOtel(load, options) {
  const { registerTelemetry } = await load('ai');
  const { OpenTelemetry } = await load('@ai-sdk/otel');
  registerTelemetry(new OpenTelemetry(options));
}

const ourSetup =
  (capture) =>
  async ({ url }) => {
    const { instrumentAiSdk } = await import('@hermes-observer/ai-sdk');
    const { observer, flush } = ours(url, capture);
    instrumentAiSdk({ observer });
    return { flush };
  };

/** What tells us of a run, with nobody to tell: a storage that the channel enters, and an integration. */
async function listensForNothing({ load }) {
  const channel = tracingChannel('ai:telemetry');
  channel.start.bindStore(new AsyncLocalStorage(), (message) => message);
  channel.asyncEnd.subscribe(() => {});
  const { registerTelemetry } = await load('ai');
  const runs = ({ execute }) => execute();
  registerTelemetry({ onStepEnd() {}, onError() {}, executeLanguageModelCall: runs, executeTool: runs });
  return {};
}

export const aiSdk = {
  name: 'AI SDK',
  of: 'ai',
  agent,
  variants: [
    { name: 'ours', setup: ourSetup('full') },
    { name: 'ours, without content', setup: ourSetup('none') },
    { name: EMPTY, setup: listensForNothing },
    {
      name: 'Langfuse',
      of: '@langfuse/vercel-ai-sdk',
      async setup({ load, url }) {
        const { flush } = await langfuse(load, url);
        const { registerTelemetry } = await load('ai');
        const { LangfuseVercelAiSdkIntegration } = await load('@langfuse/vercel-ai-sdk');
        registerTelemetry(new LangfuseVercelAiSdkIntegration());
        return { flush };
      },
    },
    {
      name: 'OpenLLMetry',
      of: '@traceloop/node-server-sdk',
      async setup({ load, url }) {
        const { flush } = await openLlmetry(load, url);
        await registerOtel(load);
        return { flush };
      },
    },
    {
      name: 'OpenInference',
      of: '@arizeai/openinference-vercel',
      async setup({ load, url }) {
        const { flush } = await openInferenceProcessor(load, url);
        const recommended = ['usage', 'providerMetadata', 'embedding', 'reranking', 'runtimeContext'];
        const these = [...recommended, 'headers', 'toolChoice', 'schema'];
        await registerOtel(load, Object.fromEntries(these.map((name) => [name, true])));
        return { flush };
      },
    },
    {
      name: 'AI SDK itself',
      isOwn: true,
      of: '@ai-sdk/otel',
      async setup({ load, url }) {
        const { flush } = await openTelemetry(load, url);
        await registerOtel(load);
        return { flush };
      },
    },
  ],
};
