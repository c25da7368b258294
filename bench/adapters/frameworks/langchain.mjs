// LangChain and LangGraph: an agent of `createAgent`, with a model that answers from the script.
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
import { EMPTY, langfuse, openLlmetry, openTelemetry, ours } from '../set-ups.mjs';

const usage_metadata = {
  input_tokens: INPUT_TOKENS,
  output_tokens: OUTPUT_TOKENS,
  total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
};
const said = (finish_reason) => ({ usage_metadata, response_metadata: { model_name: MODEL, finish_reason } });
const calls = { content: '', tool_calls: [{ id: CALL_ID, name: TOOL, args: ARGUMENTS, type: 'tool_call' }] };
const callChunk = { id: CALL_ID, name: TOOL, args: JSON.stringify(ARGUMENTS), index: 0, type: 'tool_call_chunk' };

/** LangChain's mock models do not stream what calls a tool. */
async function scriptedModel(load) {
  const { BaseChatModel } = await load('@langchain/core/language_models/chat_models');
  const { AIMessage, AIMessageChunk } = await load('@langchain/core/messages');
  const { ChatGenerationChunk } = await load('@langchain/core/outputs');
  const isAnswered = (messages) => messages.at(-1).type === 'tool';

  class ScriptedModel extends BaseChatModel {
    model = MODEL;
    _llmType() {
      return 'scripted';
    }
    bindTools() {
      return this;
    }
    async _generate(messages) {
      await answerLater();
      const message = isAnswered(messages)
        ? new AIMessage({ content: ANSWER, ...said('stop') })
        : new AIMessage({ ...calls, ...said('tool_calls') });
      return { generations: [{ text: message.content, message }] };
    }
    async *_streamResponseChunks(messages, _options, run) {
      await answerLater();
      const isLast = isAnswered(messages);
      for (const text of isLast ? CHUNKS : ['']) {
        const fields = isLast ? { content: text } : { content: '', tool_call_chunks: [callChunk] };
        const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk(fields) });
        yield chunk;
        await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
      }
      const message = new AIMessageChunk({ content: '', ...said(isLast ? 'stop' : 'tool_calls') });
      yield new ChatGenerationChunk({ text: '', message });
    }
  }
  return new ScriptedModel({});
}

async function agent({ load, parts }) {
  const { createAgent, tool } = await load('langchain');
  const { z } = await load('zod');
  const schema = z.object({ city: z.string(), country: z.string(), unit: z.string() });
  const weather = tool(async () => JSON.stringify(RESULT), { name: TOOL, description: 'The weather.', schema });
  const model = await scriptedModel(load);
  const one = createAgent({ name: 'bench', model, tools: [weather], systemPrompt: SYSTEM });
  const input = () => ({ messages: [{ role: 'user', content: PROMPT }] });
  const config = () => ({ callbacks: parts.callbacks?.() });
  return {
    plain: async () => (await one.invoke(input(), config())).messages.at(-1).content,
    streamed: async () => {
      let all = '';
      for await (const [message] of await one.stream(input(), { ...config(), streamMode: 'messages' }))
        if (message.type === 'ai') all += message.content;
      return all;
    },
  };
}

const ourSetup =
  (capture) =>
  async ({ url }) => {
    const { instrumentLangChain } = await import('@hermes-observer/langchain');
    const { observer, flush } = ours(url, capture);
    instrumentLangChain({ observer });
    return { flush };
  };

/** A handler that is told of the same, and does nothing. */
async function listensForNothing({ load }) {
  const { BaseCallbackHandler } = await load('@langchain/core/callbacks/base');
  const parts = ['Chain', 'ChatModel', 'LLM', 'Tool'].flatMap((what) => [`${what}Start`, `${what}End`, `${what}Error`]);
  const methods = Object.fromEntries(parts.map((part) => [`handle${part}`, () => {}]));
  const handler = Object.assign(BaseCallbackHandler.fromMethods(methods), { awaitHandlers: true });
  return { callbacks: () => [handler] };
}

export const langchain = {
  name: 'LangChain',
  of: 'langchain',
  agent,
  variants: [
    { name: 'ours', setup: ourSetup('full') },
    { name: 'ours, without content', setup: ourSetup('none') },
    { name: EMPTY, setup: listensForNothing },
    {
      name: 'Langfuse',
      of: '@langfuse/langchain',
      async setup({ load, url }) {
        const { flush } = await langfuse(load, url);
        const { CallbackHandler } = await load('@langfuse/langchain');
        return { callbacks: () => [new CallbackHandler()], flush };
      },
    },
    {
      name: 'OpenLLMetry',
      of: '@traceloop/instrumentation-langchain',
      setup: ({ load, url }) => openLlmetry(load, url, { langchain: true }),
    },
    {
      name: 'OpenInference',
      of: '@arizeai/openinference-instrumentation-langchain',
      async setup({ load, url }) {
        const { flush } = await openTelemetry(load, url);
        const { LangChainInstrumentation } = await load('@arizeai/openinference-instrumentation-langchain');
        new LangChainInstrumentation().manuallyInstrument(await load('@langchain/core/callbacks/manager'));
        return { flush };
      },
    },
  ],
};
