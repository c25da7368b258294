import { shallow } from '@hermes-observer/core';

/** A message in the shape of the GenAI conventions. */
export interface Message {
  readonly role: string;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is nested too deep in it is a mark: a model can write what nobody can read again. */
export function parsedJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return shallow(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export const jsonObject = (text: unknown): Readonly<Record<string, unknown>> | undefined => {
  const value = parsedJson(text);
  return isObject(value) ? value : undefined;
};

const isPart = (value: unknown): value is Part => isObject(value) && typeof value.type === 'string';

/**
 * The messages of `gen_ai.input.messages` or `gen_ai.output.messages`; `undefined` for a text that is none. What stands
 * between them and is no message, such as the mark of left out ones, is a message of one part.
 */
export function parsedMessages(text: unknown): readonly Message[] | undefined {
  const list = parsedJson(text);
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list.map((value: unknown): Message => {
    if (!isObject(value)) return { role: 'user', parts: [{ type: 'text', content: value }] };
    const { role, parts } = value;
    if (typeof role !== 'string' || !Array.isArray(parts))
      return { role: 'user', parts: [{ ...value, type: 'unknown' }] };
    return { role, parts: parts.map((part: unknown) => (isPart(part) ? part : { type: 'text', content: part })) };
  });
}

/** The text of `gen_ai.system_instructions`, its parts one below the other. */
export function systemText(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  const parts = parsedJson(text);
  if (!Array.isArray(parts)) return text;
  return parts
    .map((part: unknown) => textOf(isObject(part) && part.content !== undefined ? part.content : part))
    .join('\n');
}

/** A text as it is, anything else as JSON. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The text of one message that is nothing but text; `undefined` for more than that. */
export function onlyText(messages: readonly Message[] | undefined): string | undefined {
  const [message, ...others] = messages ?? [];
  if (message === undefined || others.length > 0) return undefined;
  if (!message.parts.every(({ type, content }) => type === 'text' && typeof content === 'string')) return undefined;
  return message.parts.map(({ content }) => content).join('\n');
}
