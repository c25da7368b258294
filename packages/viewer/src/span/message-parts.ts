/** One part of a message, whatever its maker wrote. */
export type MessagePart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      readonly args: unknown;
      readonly result?: unknown;
      readonly hasResult: boolean;
    }
  | { readonly type: 'result'; readonly id: string; readonly value: unknown }
  | { readonly type: 'media'; readonly kind: string; readonly about: string }
  | { readonly type: 'left-out'; readonly count: number }
  | { readonly type: 'other'; readonly value: unknown };

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A part of the GenAI conventions' shapes; what has none of them is shown as the JSON it is. */
export function parsePart(value: unknown): MessagePart {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (!isFields(value)) return { type: 'other', value };
  const content = value.content ?? value.text;
  switch (value.type) {
    case 'text':
      return typeof content === 'string' ? { type: 'text', text: content } : { type: 'other', value };
    case 'reasoning':
    case 'thinking':
      return typeof content === 'string' ? { type: 'reasoning', text: content } : { type: 'other', value };
    case 'tool_call':
      return {
        type: 'call',
        id: textOf(value.id),
        name: textOf(value.name),
        args: jsonIn(value.arguments),
        hasResult: false,
      };
    case 'tool_call_response':
      return { type: 'result', id: textOf(value.id), value: jsonIn(value.response ?? value.result ?? value.content) };
    case 'hermes.left_out':
      return { type: 'left-out', count: Number(value.messages) || 0 };
    case 'blob':
    case 'file':
    case 'uri':
    case 'image_url':
      return mediaPart(value);
    default:
      return { type: 'other', value };
  }
}

/** Media are named and never loaded: an address in a message would tell its owner who looks. */
function mediaPart(value: Fields): MessagePart {
  const kind = textOf(value.mime_type) || textOf(value.modality) || String(value.type);
  const { content } = value;
  const place =
    textOf(value.uri) ||
    textOf(value.file_id) ||
    textOf(isFields(value.image_url) ? value.image_url.url : value.image_url);
  if (typeof content === 'string')
    return { type: 'media', kind, about: `${content.length.toLocaleString('en')} characters of data` };
  return {
    type: 'media',
    kind,
    about: place.startsWith('data:') ? `${place.length.toLocaleString('en')} characters of data` : place,
  };
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
