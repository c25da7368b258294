import { type Fields, fieldsOf, listOf, textOf } from '@hermes-observer/adapter';

// What is read of requests and answers, by their structure: no version of a client is loaded, and any field may be absent.

export { type Fields, fieldsOf, listOf, textOf };
export const countOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Reasons of providers in the words of the contract; any other is kept as it is. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
  function_call: 'tool_calls',
  max_output_tokens: 'length',
};

export function finishReasonOf(value: unknown): string | undefined {
  const reason = textOf(value);
  return reason !== undefined && Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : reason;
}

/** The last thing the user said in a list of messages: its text, or its parts. */
export function lastUserMessage(messages: unknown): string | readonly unknown[] | undefined {
  const all = listOf(messages);
  for (let i = all.length - 1; i >= 0; i--) {
    const { role, content } = fieldsOf(all[i]);
    if (role !== 'user') continue;
    if (typeof content === 'string') return content;
    const parts = listOf(content);
    return parts.length === 1 ? (textOf(fieldsOf(parts[0]).text) ?? parts) : parts;
  }
  return undefined;
}
