import type { Attributes, AttributeValue } from '@opentelemetry/api';
import { ATTR_OTEL_METRIC_OVERFLOW } from '../semconv.js';

/** Below the 2,000 of the OpenTelemetry SDK, so that whatever is behind the meter has the same series as we. */
export const DEFAULT_MAX_SERIES = 1_500;

const LONGEST_VALUE = 256;

const NONE: Attributes = Object.freeze({});

/** What is over the cap, all in one. */
export const OVERFLOW: Attributes = Object.freeze({ [ATTR_OTEL_METRIC_OVERFLOW]: true });

/**
 * Sets of labels that were seen, of one list of names. With `max` of them, others share the overflow series: sums stay
 * right, and memory is bounded whatever names a model makes up.
 */
export class Series {
  /** Measurements that went to the overflow series. */
  overflowed = 0;
  readonly #names: readonly string[];
  readonly #max: number;
  readonly #known = new Map<string, Attributes>();

  constructor(names: readonly string[], max = DEFAULT_MAX_SERIES) {
    this.#names = names;
    this.#max = max;
  }

  get size(): number {
    return this.#known.size;
  }

  /**
   * The labels of what has these attributes.
   * @param redacted the same attributes, and `more`, without secrets; asked for once a set
   * @param more goes before them
   */
  of(attributes: Attributes, redacted: () => Attributes, more: Attributes = NONE): Attributes {
    let key = '';
    for (const name of this.#names) key += keyOf(short(more[name] ?? attributes[name]));
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#max) {
      this.overflowed++;
      return OVERFLOW;
    }
    const source = redacted();
    const labels: Attributes = {};
    for (const name of this.#names) {
      const value = short(source[name]);
      if (value !== undefined) labels[name] = value;
    }
    this.#known.set(key, Object.freeze(labels));
    return labels;
  }
}

/** Texts say how long they are: no text can be made up that looks like two. */
function keyOf(value: AttributeValue | undefined): string {
  return typeof value === 'string' ? `${value.length}:${value}` : `${value};`;
}

/** Never inside a character. */
function cut(text: string): string {
  const last = text.charCodeAt(LONGEST_VALUE - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? LONGEST_VALUE - 1 : LONGEST_VALUE);
}

/** One text, number or boolean; lists are none. */
function short(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value === 'string') return value.length > LONGEST_VALUE ? cut(value) : value;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
