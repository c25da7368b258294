import { cutString, redactText, redactValue, snapshot, wellFormed } from '@hermes-observer/core';
import type { Capture } from './capture.js';

/**
 * Most UTF-8 bytes, before JSON escapes, that one content attribute takes. A span has two shares of it: what came in, and
 * what went out.
 */
export const CONTENT_BYTES = 131_072;

/** Free text as it may leave. `undefined` when it is none or content is off. */
export function contentText(value: unknown, capture: Capture): string | undefined {
  if (capture === 'none' || typeof value !== 'string' || value === '') return undefined;
  const text = wellFormed(cutString(value, CONTENT_BYTES / 2));
  return capture === 'redacted' ? redactText(text) : text;
}

/** A value as bounded JSON text that may leave: cut inside its structure, so that it stays valid. */
export function contentJson(value: unknown, capture: Capture, bytes = CONTENT_BYTES): string | undefined {
  if (capture === 'none' || value === undefined || value === null) return undefined;
  const copy = snapshot(value, { bytes, depth: 32 });
  return JSON.stringify(capture === 'redacted' ? redactValue(copy) : copy);
}

/** Text that may be JSON: when it has to be cut, JSON is cut inside its structure. Values that are no text become JSON. */
export function contentTextOrJson(value: unknown, capture: Capture): string | undefined {
  if (typeof value !== 'string') return contentJson(value, capture);
  const isJson = /^\s*[[{]/.test(value) && value.length <= 16 * CONTENT_BYTES;
  if (!isJson || (value.length <= CONTENT_BYTES / 2 && capture !== 'redacted')) return contentText(value, capture);
  try {
    return contentJson(JSON.parse(value), capture);
  } catch {
    return contentText(value, capture);
  }
}

/**
 * A list as JSON text within a budget that goes to the newest items first; what is left out is counted in a first item
 * that `marker` makes.
 */
export function contentList<T>(
  items: readonly T[],
  shape: (item: T) => unknown,
  capture: Capture,
  marker: (leftOut: number) => unknown,
  bytes = CONTENT_BYTES,
): string | undefined {
  if (capture === 'none') return undefined;
  const texts: string[] = [];
  let left = bytes;
  let i = items.length - 1;
  for (; i >= 0 && left > 256; i--) {
    const text = contentJson(shape(items[i] as T), capture, left) ?? 'null';
    left -= Buffer.byteLength(text);
    texts.push(text);
  }
  if (i >= 0) texts.push(JSON.stringify(marker(i + 1)));
  return `[${texts.reverse().join(',')}]`;
}
