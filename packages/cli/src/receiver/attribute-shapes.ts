import type { SpanAttributes } from '../traces/span-source.js';
import { attributeBytes, attributesBytes, NO_ATTRIBUTE_BYTES } from '../traces/span-weight.js';
import { anyValue, attributesOf, isObject, setAttribute } from './json-attributes.js';

const MOST_KEYS = 64;
/** Lists of keys that are remembered: spans of one program have few. */
const SHAPES = 8;
/** A longer text is hardly the same as the one before. */
const LONGEST_SHARED = 64;

/** The keys that a span has, in their order. */
interface Shape {
  readonly keys: readonly string[];
  /** An object with them all, to be copied: to add one key after the other takes much longer. */
  readonly blank: Readonly<Record<string, unknown>>;
  /** What each was last: the same text is kept once. */
  readonly values: unknown[];
}

export interface Weighed {
  readonly attributes: SpanAttributes;
  /** As estimated for memory. */
  readonly bytes: number;
}

/** Attributes of the spans of one request. Most of them have the keys of one that came shortly before. */
export class AttributeShapes {
  readonly #shapes: Shape[] = [];
  #next = 0;

  attributesOf(pairs: unknown): Weighed {
    if (!Array.isArray(pairs) || pairs.length > MOST_KEYS) return weighed(attributesOf(pairs));
    for (const shape of this.#shapes) {
      const made = like(shape, pairs);
      if (made !== undefined) return made;
    }
    const attributes = attributesOf(pairs);
    this.#remember(pairs);
    return weighed(attributes);
  }

  #remember(pairs: readonly unknown[]): void {
    const blank: Record<string, unknown> = {};
    for (const pair of pairs) if (isObject(pair) && typeof pair.key === 'string') setAttribute(blank, pair.key, null);
    const keys = Object.keys(blank);
    // Else one of its pairs is none, or a key comes twice.
    if (keys.length === pairs.length) this.#shapes[this.#next++ % SHAPES] = { keys, blank, values: [] };
  }
}

const weighed = (attributes: SpanAttributes): Weighed => ({ attributes, bytes: attributesBytes(attributes) });

/** The attributes, if they are of this shape and all have values. */
function like({ keys, blank, values }: Shape, pairs: readonly unknown[]): Weighed | undefined {
  const count = keys.length;
  if (pairs.length !== count) return undefined;
  for (let i = 0; i < count; i++) {
    if ((pairs[i] as { readonly key?: unknown } | null)?.key !== keys[i]) return undefined;
  }
  const attributes: Record<string, unknown> = { ...blank };
  let bytes = NO_ATTRIBUTE_BYTES;
  for (let i = 0; i < count; i++) {
    let value = anyValue((pairs[i] as { readonly value?: unknown }).value);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value.length <= LONGEST_SHARED) {
      if (value === values[i]) value = values[i];
      else values[i] = value;
    }
    attributes[keys[i] as string] = value;
    bytes += attributeBytes(value);
  }
  return { attributes, bytes };
}
