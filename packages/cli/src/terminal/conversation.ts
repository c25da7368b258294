import { semconv } from '@hermes-observer/otel';
import type { SpanAttributes } from '../traces/span-source.js';

/** One thing that was said: by whom, and what. */
export interface Said {
  readonly role: string;
  readonly text: string;
}

/** Attributes that are shown as what was said. */
export const CONVERSATION: ReadonlySet<string> = new Set([
  semconv.ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  semconv.ATTR_GEN_AI_INPUT_MESSAGES,
  semconv.ATTR_GEN_AI_OUTPUT_MESSAGES,
]);

/** Messages that a span carries, in order. What has not the shape of messages is shown as it is. */
export function conversationOf(attributes: SpanAttributes): Said[] {
  const sent = messagesIn(attributes[semconv.ATTR_GEN_AI_INPUT_MESSAGES], 'input');
  const system = partsIn(attributes[semconv.ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]);
  const isTold = sent.some(({ role }) => role === 'system' || role === 'developer');
  return [
    ...(isTold ? [] : system).map((part) => ({ role: 'system', text: partText(part) })),
    ...sent,
    ...messagesIn(attributes[semconv.ATTR_GEN_AI_OUTPUT_MESSAGES], 'output'),
  ].filter(({ text }) => text !== '');
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function partsIn(value: unknown): unknown[] {
  const list = jsonIn(value);
  if (list === undefined || list === null || list === '') return [];
  return Array.isArray(list) ? list : [list];
}

function messagesIn(value: unknown, fallback: string): Said[] {
  return partsIn(value).flatMap((message) => {
    if (!isFields(message)) return [{ role: fallback, text: partText(message) }];
    const role = typeof message.role === 'string' && message.role !== '' ? message.role : fallback;
    const parts = message.parts ?? message.content;
    const list = Array.isArray(parts) ? parts : parts === undefined ? [message] : [parts];
    return list.map((part) => ({ role, text: partText(part) }));
  });
}

function partText(part: unknown): string {
  if (!isFields(part)) return asText(part);
  const content = part.content ?? part.text;
  switch (part.type) {
    case 'text':
      return asText(content);
    case 'reasoning':
    case 'thinking':
      return `(thinks) ${asText(content)}`;
    case 'tool_call':
      return `-> ${asText(part.name)} ${asText(jsonIn(part.arguments))}`;
    case 'tool_call_response':
      return `<- ${asText(jsonIn(part.response ?? part.result ?? part.content))}`;
    case 'hermes.left_out':
      return `(${asText(part.messages)} messages left out)`;
    case 'blob':
    case 'file':
    case 'uri':
    case 'image_url':
      return `(${asText(part.mime_type ?? part.modality ?? part.type)})`;
    default:
      return asText(part);
  }
}

/** JSON in a text as what it says; any other value as it is. */
export function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Any value for a person: texts as they are, all else as JSON with line ends where it is long. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  const json = JSON.stringify(value) ?? '';
  return json.length > 60 && typeof value === 'object' ? JSON.stringify(value, null, 2) : json;
}
