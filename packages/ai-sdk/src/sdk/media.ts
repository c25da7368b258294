import { type Fields, fieldsOf, textOf } from './events.js';

/** Of bytes more than this are not made into text: a span has no room for them. */
const MOST_BYTES = 200_000;

/**
 * An image or a file as the GenAI conventions have it: `uri` with its address, `blob` with its content as base64, `file` with
 * the id that a provider knows it by. `data` is text, bytes, a URL or one of the SDK's objects around them.
 */
export function mediaPart(data: unknown, mediaType: unknown, known?: string): Fields {
  const mime = textOf(mediaType);
  const kind = { ...(mime === undefined ? {} : { mime_type: mime }), modality: known ?? modalityOf(mime) };
  if (ArrayBuffer.isView(data))
    return { type: 'blob', ...kind, content: base64(data.buffer, data.byteOffset, data.byteLength) };
  if (data instanceof ArrayBuffer) return { type: 'blob', ...kind, content: base64(data, 0, data.byteLength) };
  if (typeof data === 'string' || data instanceof URL) return addressed(String(data), kind);
  const fields = fieldsOf(data);
  if (fields.type === 'url') return mediaPart(fields.url, mediaType, known);
  if (fields.type === 'data') return mediaPart(fields.data, mediaType, known);
  if (fields.type === 'text') return { type: 'text', content: fields.text };
  const reference = fieldsOf(fields.reference ?? data);
  return { type: 'file', ...kind, file_id: Object.values(reference).find((id) => typeof id === 'string') ?? '' };
}

function addressed(text: string, kind: Fields): Fields {
  const inline = /^data:([^;,]*)[^,]*,/.exec(text);
  if (inline !== null)
    return { type: 'blob', ...kind, mime_type: inline[1] || kind.mime_type, content: text.slice(inline[0].length) };
  return /^[a-z][a-z\d+.-]*:/i.test(text)
    ? { type: 'uri', ...kind, uri: text }
    : { type: 'blob', ...kind, content: text };
}

const base64 = (buffer: ArrayBufferLike, offset: number, length: number): string =>
  Buffer.from(buffer, offset, Math.min(length, MOST_BYTES)).toString('base64');

function modalityOf(mime: string | undefined): string {
  const first = mime?.split('/')[0];
  return first === 'image' || first === 'audio' || first === 'video' ? first : 'document';
}
