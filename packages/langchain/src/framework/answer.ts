import type { AdapterAnswer } from '@hermes-observer/adapter';
import { fieldsOf, listOf, textOf } from './fields.js';
import { askedCall, callsOf, type MessageCall, textIn } from './messages.js';

/** Reasons of providers in the words of the contract; any other is kept as it is. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  function_call: 'tool_calls',
  max_tokens: 'length',
  safety: 'content_filter',
};

/** What a model gave, from what `handleLLMEnd` is told. */
export interface ModelAnswer extends AdapterAnswer {
  readonly calls: readonly MessageCall[];
}

export function answerOf(output: unknown): ModelAnswer {
  const { generations, llmOutput } = fieldsOf(output);
  const { message, text, generationInfo } = fieldsOf(listOf(listOf(generations)[0])[0]);
  const { usage_metadata, response_metadata, content } = fieldsOf(message);
  const metadata = { ...fieldsOf(generationInfo), ...fieldsOf(response_metadata) };
  const calls = callsOf(message);
  return {
    usage: usageIn(usage_metadata, fieldsOf(llmOutput).tokenUsage),
    finishReason: finishReasonIn(metadata),
    responseModel: textOf(metadata.model_name) ?? textOf(metadata.model) ?? textOf(metadata.modelId),
    text: textIn(content) ?? textOf(text),
    toolCalls: calls.map(askedCall),
    calls,
  };
}

/** Text and usage of a model that was called as one that completes text are with the whole output. */
function usageIn(usage: unknown, tokenUsage: unknown): unknown {
  // The details of the input say that this is LangChain's shape.
  if (usage !== undefined && usage !== null) return { input_token_details: {}, ...fieldsOf(usage) };
  const { promptTokens, completionTokens } = fieldsOf(tokenUsage);
  if (promptTokens === undefined && completionTokens === undefined) return undefined;
  return { inputTokens: promptTokens, outputTokens: completionTokens };
}

function finishReasonIn(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const { finish_reason, finishReason, stop_reason, stopReason, done_reason } = metadata;
  const reason = [finish_reason, finishReason, stop_reason, stopReason, done_reason].map(textOf).find(Boolean);
  if (reason === undefined) return undefined;
  const lower = reason.toLowerCase();
  return FINISH_REASONS[lower] ?? lower;
}
