import { type Fields, fieldsOf, listOf, textOf } from './fields.js';
import { callOf, resultOf } from './items.js';

/** What the user said last, of the input of a run: a text, or its parts. */
export function userMessageOf(input: unknown): string | readonly unknown[] | undefined {
  if (typeof input === 'string') return input;
  const items = listOf(input);
  for (let i = items.length - 1; i >= 0; i--) {
    const { role, content } = fieldsOf(items[i]);
    if (role !== 'user') continue;
    if (typeof content === 'string') return content;
    const parts = listOf(content);
    const only = parts.length === 1 ? textOf(fieldsOf(parts[0]).text) : undefined;
    return only ?? parts.map(recordedPart);
  }
  return undefined;
}

/** The input of a model as messages. */
export const messagesOf = (input: unknown): readonly unknown[] | undefined =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : Array.isArray(input) ? input : undefined;

/** Items of the SDK as records have them: messages, with calls and results under the ids that the program knows. */
export const recordedMessages = (items: readonly unknown[]): readonly unknown[] => items.map(recordedItem);

function recordedItem(item: unknown): unknown {
  const fields = fieldsOf(item);
  const { type, role, content } = fields;
  if (role !== undefined) return Array.isArray(content) ? { ...fields, content: content.map(recordedPart) } : item;
  const call = callOf(item);
  if (call !== undefined) return { role: 'assistant', tool_calls: [call] };
  const result = resultOf(item);
  if (result !== undefined)
    return { role: 'tool', tool_call_id: result.callId, content: recordedOutput(result.output) };
  if (type === 'reasoning') return { role: 'assistant', content: [{ type, content: thoughtsIn(fields) }] };
  if (type === 'hosted_tool_call') return { role: 'assistant', content: hostedParts(fields) };
  return typeof type === 'string' ? { role: 'assistant', content: [item] } : item;
}

/** Its summary, or what it thought where the provider tells. */
function thoughtsIn({ content, rawContent }: Fields): string {
  const texts = (parts: unknown) => listOf(parts).map((part) => textOf(fieldsOf(part).text) ?? '');
  const summary = texts(content);
  return (summary.length > 0 ? summary : texts(rawContent)).join('\n');
}

function hostedParts({ id, name, arguments: args, output, providerData }: Fields): Fields[] {
  const told = fieldsOf(providerData);
  const called = textOf(told.name) ?? textOf(name) ?? 'unknown';
  const call = { type: 'tool_call', id, name: called, arguments: parsed(args ?? told.arguments) };
  const response = output ?? told.output;
  return response === undefined || response === null ? [call] : [call, { type: 'tool_call_response', id, response }];
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

function recordedOutput(output: unknown): unknown {
  if (Array.isArray(output)) return output.map(recordedOutput);
  const fields = fieldsOf(output);
  if (fields.type === 'text') return textOf(fields.text) ?? output;
  return fields.type === undefined ? output : recordedPart(output);
}

/** A part of a message or a result: images, files and sound as the conventions have them, all else as it is. */
export function recordedPart(part: unknown): unknown {
  const fields = fieldsOf(part);
  switch (fields.type) {
    case 'input_image':
    case 'image':
      return media(fields.image ?? fields.imageId ?? fields.image_url, fields, 'image');
    case 'computer_screenshot':
      return media(fields.data, fields, 'image');
    case 'input_file':
    case 'file':
      return media(fields.file ?? fields.fileId, fields, 'document');
    case 'audio':
      return media(fields.audio, fields, 'audio');
    case 'refusal':
      return { type: 'refusal', content: fields.refusal };
    default:
      return part;
  }
}

/** Of bytes more than this are not made into text: a span has no room for them. */
const MOST_BYTES = 200_000;

const base64 = (bytes: unknown): unknown =>
  bytes instanceof Uint8Array ? Buffer.from(bytes.subarray(0, MOST_BYTES)).toString('base64') : bytes;

function media(value: unknown, { mediaType }: Fields, modality: string): unknown {
  const { id, fileId, url, data, mediaType: inner } = fieldsOf(value);
  const mime = textOf(mediaType) ?? textOf(inner);
  const kind = { ...(mime === undefined ? {} : { mime_type: mime }), modality };
  const file = textOf(id) ?? textOf(fileId);
  if (file !== undefined) return { type: 'file', ...kind, file_id: file };
  const text = textOf(value) ?? textOf(url) ?? textOf(data);
  if (text === undefined) return { type: 'blob', ...kind, content: base64(data ?? value) };
  const inline = /^data:([^;,]*)[^,]*,/.exec(text);
  if (inline !== null)
    return { type: 'blob', ...kind, mime_type: inline[1] || mime, content: text.slice(inline[0].length) };
  return /^[a-z][a-z\d+.-]*:/i.test(text)
    ? { type: 'uri', ...kind, uri: text }
    : { type: 'blob', ...kind, content: text };
}
