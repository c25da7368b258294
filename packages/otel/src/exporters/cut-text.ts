import { snapshot } from '@hermes-observer/core';
import { cutToJsonSize, jsonSize } from '../encoding/json-size.js';

/** Longer JSON is cut as the text it is: reading it would take too long. */
const MOST_JSON_UNITS = 64 * 1024 * 1024;
const MOST_TRIES = 4;
const LONGEST_MARK_BYTES = 32;

/**
 * `text` cut to at most `maxBytes` inside a JSON string, marked. What is JSON stays valid: it is cut inside its structure.
 */
export function cutText(text: string, maxBytes: number): string {
  if (jsonSize(text) <= maxBytes) return text;
  return cutJson(text, maxBytes) ?? cutWords(text, maxBytes);
}

function cutWords(text: string, maxBytes: number): string {
  const kept = cutToJsonSize(text, Math.max(0, maxBytes - LONGEST_MARK_BYTES));
  return kept === '' ? '' : `${kept}…[+${text.length - kept.length} chars]`;
}

/** `undefined` for what is no JSON, or does not get small enough. */
function cutJson(text: string, maxBytes: number): string | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > MOST_JSON_UNITS || maxBytes < 256) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    let bytes = maxBytes;
    for (let i = 0; i < MOST_TRIES; i++) {
      const smaller = JSON.stringify(snapshot(value, { bytes, string: bytes, breadth: bytes, depth: 64 }));
      const size = jsonSize(smaller);
      if (size <= maxBytes) return smaller;
      // Escapes and marks come on top: the next try leaves room for them.
      bytes = Math.floor((bytes * maxBytes * 0.9) / size);
    }
  } catch {
    // Not JSON.
  }
  return undefined;
}
