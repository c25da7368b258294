import { isTooDeep, shallow } from '@hermes-observer/core';

/** A message in the shape of the GenAI conventions, as far as it could be read. */
export interface Message {
  readonly role: string;
  readonly parts: readonly Part[];
}

export type Part = Readonly<Record<string, unknown>>;

/** A call that a model asked for. Arguments that are no object stand under `value`. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What an attribute of messages holds; nothing where it is absent, or was cut so that it is no JSON any more. */
export function messagesOf(value: unknown): Message[] {
  return listOf(value).map(({ role, parts }) => ({
    role: typeof role === 'string' ? role : 'user',
    parts: Array.isArray(parts) ? parts.filter(isObject) : [],
  }));
}

/** Text of an attribute of parts, such as system instructions. */
export const textOfParts = (value: unknown): string => textOf({ role: '', parts: listOf(value) });

/** All that is text in a message, one part a paragraph. */
export const textOf = ({ parts }: Message): string => joined(parts, 'text');

export const reasoningOf = ({ parts }: Message): string => joined(parts, 'reasoning');

export function callsOf({ parts }: Message): AskedCall[] {
  return parts.flatMap((part) => {
    if (part.type !== 'tool_call' || typeof part.id !== 'string' || part.id === '') return [];
    return [{ id: part.id, name: typeof part.name === 'string' ? part.name : '', arguments: asObject(part.arguments) }];
  });
}

/** True where a message has more than text, such as an image. */
export const hasOtherParts = ({ parts }: Message): boolean =>
  parts.some(({ type }) => type !== 'text' && type !== 'reasoning' && type !== 'tool_call');

/** Arguments as the formats want them: always an object. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  const read = typeof value === 'string' ? parsedOr(value, value) : value;
  // A text says all of it.
  const parsed = typeof value === 'string' && isTooDeep(read) ? value : shallow(read);
  if (parsed === undefined || parsed === null || parsed === '') return {};
  return isObject(parsed) ? parsed : { value: parsed };
}

function joined(parts: readonly Part[], type: string): string {
  const texts = parts.filter((part) => part.type === type).map(({ content }) => textOrJson(content));
  return texts.filter((text) => text !== '').join('\n\n');
}

export const textOrJson = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  const parsed = shallow(typeof value === 'string' ? parsedOr(value, undefined) : value);
  return Array.isArray(parsed) ? parsed.filter(isObject) : [];
}

function parsedOr(text: string, fallback: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
