import type { AskedToolCall } from '@hermes-observer/adapter';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';

/** A call as a message of a model has it. */
export interface MessageCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant' };

/** `human`, `ai`, `tool`, `system`; of messages that are no objects of LangChain yet, as well. */
export function typeOf(message: unknown): string | undefined {
  const { type, _getType, role } = fieldsOf(message);
  if (typeof type === 'string') return type;
  if (typeof _getType === 'function') return textOf(_getType.call(message));
  return role === 'user' ? 'human' : role === 'assistant' ? 'ai' : textOf(role);
}

/** Text of a content, which is text or a list of parts. */
export function textIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content === '' ? undefined : content;
  const texts = listOf(content)
    .map(fieldsOf)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => String(text));
  return texts.length === 0 ? undefined : texts.join('');
}

export function callsOf(message: unknown): MessageCall[] {
  return listOf(fieldsOf(message).tool_calls)
    .map(fieldsOf)
    .map(({ id, name, args }) => ({ id: textOf(id) ?? '', name: textOf(name) ?? 'unknown', args }))
    .filter(({ id }) => id !== '');
}

/** As records have it. */
export const askedCall = ({ id, name, args }: MessageCall): AskedToolCall => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
});

/** A message as records have it: `role`, `content`, `tool_calls`, `tool_call_id`. */
export function recordedMessage(message: unknown): unknown {
  const { content, tool_call_id } = fieldsOf(message);
  const type = typeOf(message);
  if (type === undefined) return message;
  const calls = callsOf(message);
  return {
    role: ROLES[type] ?? type,
    content,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(askedCall) }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  };
}

/** The messages of a state or an update, or the message that it is. */
export function messagesIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.length > 0 && typeOf(value[0]) !== undefined ? value : [];
  const { messages, output, update } = fieldsOf(value);
  if (messages !== undefined) return Array.isArray(messages) ? messages : [messages];
  if (Array.isArray(output)) return output.flatMap((one) => messagesIn(fieldsOf(one).update));
  if (update !== undefined) return messagesIn(update);
  return typeOf(value) === undefined ? [] : [value];
}

const lastOf = (messages: readonly unknown[], type: string): unknown => {
  for (let i = messages.length - 1; i >= 0; i--) if (typeOf(messages[i]) === type) return messages[i];
  return undefined;
};

/** The last message of a model. */
export const lastAnswer = (value: unknown): unknown => lastOf(messagesIn(value), 'ai');

/** What a run is asked: the last thing the user said in its input. */
export function questionIn(input: unknown): string | readonly unknown[] | undefined {
  if (typeof input === 'string') return textOf(input);
  const { content } = fieldsOf(lastOf(messagesIn(input), 'human'));
  if (content !== undefined) return textIn(content) ?? (Array.isArray(content) ? content : undefined);
  const fields: Fields = fieldsOf(input);
  return textOf(fields.input) ?? textOf(fields.question) ?? textOf(fields.query);
}

/** What a run gives in the end, as text. */
export function answerIn(output: unknown): string | undefined {
  if (typeof output === 'string') return textOf(output);
  const last = lastAnswer(output);
  return last === undefined ? textOf(fieldsOf(output).output) : textIn(fieldsOf(last).content);
}
