import { semconv } from '@hermes-observer/otel';
import { countAttribute, modelOf, textAttribute } from '../spans/content.js';
import {
  type AskedCall,
  callsOf,
  hasOtherParts,
  type Message,
  messagesOf,
  type Part,
  reasoningOf,
  textOf,
  textOfParts,
  textOrJson,
} from '../spans/messages.js';
import type { SpanFacts } from '../spans/span-facts.js';
import type { DataSchema } from './event.js';

/** What the payloads below are, whatever protocol the agent spoke: spans have one shape for all of them. */
export const CHAT_COMPLETIONS: DataSchema = { name: 'openai/chat-completions', version: '1' };

type Attributes = SpanFacts['attributes'];

/** The request in Relay's shape, or `null` with content off. */
export function requestPayload(attributes: Attributes): object | null {
  const messages = messagesOf(attributes[semconv.ATTR_GEN_AI_INPUT_MESSAGES]).flatMap(sentMessages);
  const system = textOfParts(attributes[semconv.ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]);
  if (system !== '' && messages[0]?.role !== 'system') messages.unshift({ role: 'system', content: system });
  if (messages.length === 0) return null;
  const model = textAttribute(attributes, semconv.ATTR_GEN_AI_REQUEST_MODEL);
  return { headers: {}, content: { messages, ...(model !== undefined && { model }) } };
}

/**
 * The answer as a chat completion. `calls` are those that are known from their spans, for an answer that does not say them. `null`
 * where neither is there, since an answer that says nothing is refused by readers.
 */
export function answerPayload(attributes: Attributes, calls: readonly AskedCall[]): object | null {
  const [answer] = messagesOf(attributes[semconv.ATTR_GEN_AI_OUTPUT_MESSAGES]);
  const content = answer === undefined ? '' : textOf(answer);
  const asked = answer === undefined || callsOf(answer).length === 0 ? calls : callsOf(answer);
  if (content === '' && asked.length === 0) return null;
  const reasoning = answer === undefined ? '' : reasoningOf(answer);
  const message = {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(asked.length > 0 && { tool_calls: asked.map(toolCall) }),
  };
  const model = modelOf(attributes);
  const usage = usagePayload(attributes);
  return {
    object: 'chat.completion',
    ...(model !== undefined && { model }),
    choices: [{ index: 0, finish_reason: finishReason(attributes), message }],
    ...(usage !== undefined && { usage }),
  };
}

function finishReason(attributes: Attributes): string | null {
  const reasons = attributes[semconv.ATTR_GEN_AI_RESPONSE_FINISH_REASONS];
  return Array.isArray(reasons) && typeof reasons[0] === 'string' ? reasons[0] : null;
}

const toolCall = ({ id, name, arguments: args }: AskedCall) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});

/** As a chat completion has it: cache is a part of the input, reasoning a part of the output. */
function usagePayload(attributes: Attributes): object | undefined {
  const prompt = countAttribute(attributes, semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS);
  const completion = countAttribute(attributes, semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS);
  if (prompt === undefined && completion === undefined) return undefined;
  const cached = countAttribute(attributes, semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS);
  const reasoning = countAttribute(attributes, semconv.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS);
  return {
    prompt_tokens: prompt ?? 0,
    completion_tokens: completion ?? 0,
    total_tokens: (prompt ?? 0) + (completion ?? 0),
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

interface SentMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: unknown;
  /** Parts that are no text, as the conventions have them. */
  readonly parts?: readonly Part[];
}

/** Results of several calls may stand in one message; chat completions have one message each. */
function sentMessages(message: Message): SentMessage[] {
  const results = message.parts.filter(({ type }) => type === 'tool_call_response');
  const sent = results.map(({ id, response }) => ({ role: 'tool', tool_call_id: id, content: textOrJson(response) }));
  const rest = message.parts.filter(({ type }) => type !== 'tool_call_response');
  if (rest.length === 0 && results.length > 0) return sent;
  const other = { ...message, parts: rest };
  const calls = callsOf(other);
  const text = textOf(other);
  return [
    ...sent,
    {
      role: message.role,
      content: text === '' && calls.length > 0 ? null : text,
      ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
      ...(hasOtherParts(other) && { parts: rest.filter(({ type }) => type !== 'text') }),
    },
  ];
}
