import type { AdapterAnswer } from '@hermes-observer/adapter';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';
import { answerTextOf, callsIn } from './items.js';

/** Reasons of the Responses API for an answer that is not whole, in the contract's words. */
const INCOMPLETE: Readonly<Record<string, string>> = { max_output_tokens: 'length' };

/** The answer of a model: `usage`, `output`, `providerData`, of `getResponse` or the end of its stream. */
export function answerOf(response: unknown, hasContent: boolean): AdapterAnswer {
  const { usage, output, providerData } = fieldsOf(response);
  const provider = fieldsOf(providerData);
  const calls = callsIn(output);
  return {
    usage: isCounted(fieldsOf(usage)) ? usage : undefined,
    finishReason: finishReasonOf(provider) ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    responseModel: textOf(provider.model),
    ...(hasContent ? { text: answerTextOf(output), toolCalls: calls } : {}),
  };
}

/** A model that does not count has zeros. */
const isCounted = ({ inputTokens, outputTokens }: Fields): boolean => inputTokens !== 0 || outputTokens !== 0;

function finishReasonOf({ choices, incomplete_details }: Fields): string | undefined {
  const reason = textOf(fieldsOf(incomplete_details).reason);
  if (reason !== undefined) return INCOMPLETE[reason] ?? reason;
  return textOf(fieldsOf(listOf(choices)[0]).finish_reason);
}

/** Events that come before the model says anything. */
const QUIET: ReadonlySet<unknown> = new Set(['response.created', 'response.queued', 'response.in_progress']);

/** Whether an event of a model's stream is a part of its answer. */
export function isChunk(event: unknown): boolean {
  const { type, event: raw } = fieldsOf(event);
  if (type === 'output_text_delta') return true;
  return type !== 'response_started' && !(type === 'model' && QUIET.has(fieldsOf(raw).type));
}
