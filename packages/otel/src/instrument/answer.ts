import { contractUsage, fieldsOf } from '@hermes-observer/core';

/** What is known of a model's answer, in the contract's terms. */
export interface Answer {
  usage?: Record<string, number> | undefined;
  finishReason?: string | undefined;
  responseModel?: string | undefined;
  /** The message: `role`, `content`, `tool_calls`. */
  message?: unknown;
  toolCalls?: number | undefined;
  /** Length of its text. */
  characters?: number | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Anthropic's reasons in the words of the contract; any other reason is kept as it is. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
  function_call: 'tool_calls',
  max_output_tokens: 'length',
};

export function finishReason(value: unknown): string | undefined {
  const reason = text(value);
  return reason !== undefined && Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : reason;
}

/** An answer in the shape of an OpenAI chat completion, an OpenAI Responses object or an Anthropic message. */
export function readAnswer(value: unknown): Answer | undefined {
  const answer = fieldsOf(value);
  if (Array.isArray(answer.choices)) return chatCompletion(answer);
  if (answer.object === 'response' && Array.isArray(answer.output)) return response(answer, answer.output);
  if (answer.type === 'message' && Array.isArray(answer.content)) return anthropicMessage(answer, answer.content);
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function chatCompletion(answer: Fields): Answer | undefined {
  const choice = fieldsOf(list(answer.choices)[0]);
  if (typeof choice.message !== 'object' || choice.message === null) return undefined;
  const message = fieldsOf(choice.message);
  return {
    usage: contractUsage(answer.usage),
    finishReason: finishReason(choice.finish_reason),
    responseModel: text(answer.model),
    message,
    toolCalls: list(message.tool_calls).length,
    characters: lengthOf(message.content),
  };
}

function response(answer: Fields, output: readonly unknown[]): Answer {
  const items = output.map(fieldsOf);
  const toolCalls = items.filter(({ type }) => type === 'function_call' || type === 'custom_tool_call').length;
  const content = items.flatMap((item) => (item.type === 'message' ? list(item.content) : [item]));
  const { status } = answer;
  const cut = finishReason(fieldsOf(answer.incomplete_details).reason);
  const done = toolCalls > 0 ? 'tool_calls' : 'stop';
  return {
    usage: contractUsage(answer.usage),
    finishReason: status === 'completed' ? done : (cut ?? (status === 'failed' ? 'error' : text(status))),
    responseModel: text(answer.model),
    message: { role: 'assistant', content },
    toolCalls,
    characters: lengthOf(content),
  };
}

function anthropicMessage(answer: Fields, content: readonly unknown[]): Answer {
  return {
    usage: contractUsage(answer.usage),
    finishReason: finishReason(answer.stop_reason),
    responseModel: text(answer.model),
    message: { role: 'assistant', content },
    toolCalls: content.filter((part) => fieldsOf(part).type === 'tool_use').length,
    characters: lengthOf(content),
  };
}

/** Characters of a message's text: a string, or the text of its parts. */
export function lengthOf(content: unknown): number {
  if (typeof content === 'string') return content.length;
  return list(content).reduce<number>((sum, part) => sum + (text(fieldsOf(part).text)?.length ?? 0), 0);
}
