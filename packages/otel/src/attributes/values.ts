import { cutString, wellFormed } from '@hermes-observer/core';
import type { Attributes, AttributeValue } from '@opentelemetry/api';

/** Longest id, name or type on a span, in UTF-16 units; content has budgets of its own. */
const LONGEST_LABEL = 1024;

/** A short text as an attribute value: well-formed, bounded, never cut inside a character. Absent when empty. */
export function label(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length === 0) return undefined;
  return wellFormed(value.length > LONGEST_LABEL ? cutString(value, LONGEST_LABEL) : value);
}

export function setLabel(attributes: Attributes, name: string, value: unknown): void {
  const text = label(value);
  if (text !== undefined) attributes[name] = text;
}

/** A count: an integer from 0 that a double holds exactly. Anything else is no attribute. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && Number.isSafeInteger(value);
}

/** A finite number from 0, of a magnitude that JSON numbers carry unharmed. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

export function setAmount(attributes: Attributes, name: string, value: unknown): void {
  if (isAmount(value)) attributes[name] = value;
}

export function setCount(attributes: Attributes, name: string, value: unknown): void {
  if (isCount(value)) attributes[name] = value;
}

/** The count that a field holds, if it holds one. */
export function countOf(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}

/** The amount that a field holds, if it holds one. */
export function amountOf(value: unknown): number | undefined {
  return isAmount(value) ? value : undefined;
}

/** Where attributes are set one by one: a span. */
export interface AttributeTarget {
  setAttribute(name: string, value: AttributeValue): unknown;
}

/** An attributes object as a target. */
export class AttributeBag implements AttributeTarget {
  readonly attributes: Attributes;

  constructor(attributes: Attributes) {
    this.attributes = attributes;
  }

  setAttribute(name: string, value: AttributeValue): void {
    this.attributes[name] = value;
  }
}
