import type { AdapterRequestInfo } from '@hermes-observer/adapter';
import { type Fields, fieldsOf, textOf } from './fields.js';
import { recordedMessage, textIn, typeOf } from './messages.js';

/** What a model is asked, from what `handleChatModelStart` or `handleLLMStart` is told. */
export function requestOf(
  llm: unknown,
  asked: readonly unknown[],
  extra: unknown,
  metadata: Fields,
): AdapterRequestInfo {
  const params = fieldsOf(fieldsOf(extra).invocation_params);
  const kwargs = fieldsOf(fieldsOf(llm).kwargs);
  const model = [metadata.ls_model_name, params.model, params.model_name, kwargs.model, kwargs.model_name]
    .map(textOf)
    .find(Boolean);
  const maxTokens = params.max_tokens ?? params.max_completion_tokens ?? metadata.ls_max_tokens;
  let messages: unknown[] | undefined;
  return {
    model,
    provider: textOf(metadata.ls_provider)?.toLowerCase(),
    maxTokens: typeof maxTokens === 'number' ? maxTokens : undefined,
    isLogical: true,
    // Content is put into its form where somebody wants it.
    get messages() {
      messages ??= asked.filter((one) => typeOf(one) !== 'system').map(asMessage);
      return messages;
    },
    get systemPrompt() {
      const { content } = fieldsOf(asked.find((one) => typeOf(one) === 'system'));
      return textIn(content) ?? content;
    },
  };
}

/** Models that complete text are asked with text. */
const asMessage = (one: unknown): unknown =>
  typeof one === 'string' ? { role: 'user', content: one } : recordedMessage(one);
