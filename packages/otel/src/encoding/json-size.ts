const SHORT_ESCAPES = new Set(['\b', '\t', '\n', '\f', '\r'].map((text) => text.charCodeAt(0)));

/** Bytes of `text` inside a JSON string in UTF-8, without the quotes, as `JSON.stringify` escapes it. */
export function jsonSize(text: string): number {
  return walk(text, Number.POSITIVE_INFINITY).bytes;
}

/** The longest start of `text` that takes at most `maxBytes` inside a JSON string. No surrogate pair is split. */
export function cutToJsonSize(text: string, maxBytes: number): string {
  return text.slice(0, walk(text, maxBytes).length);
}

function walk(text: string, maxBytes: number): { bytes: number; length: number } {
  let bytes = 0;
  let i = 0;
  while (i < text.length) {
    const code = text.codePointAt(i) as number;
    const size = sizeOf(code);
    if (bytes + size > maxBytes) break;
    bytes += size;
    i += code > 0xffff ? 2 : 1;
  }
  return { bytes, length: i };
}

function sizeOf(code: number): number {
  if (code < 0x20) return SHORT_ESCAPES.has(code) ? 2 : 6;
  if (code < 0x80) return code === 0x22 || code === 0x5c ? 2 : 1;
  if (code < 0x800) return 2;
  if (code > 0xffff) return 4;
  return code >= 0xd800 && code <= 0xdfff ? 6 : 3;
}
