import { type ReadableSpan, semconv } from '@hermes-observer/otel';
import type { Attributes, AttributeValue } from '@opentelemetry/api';
import { type Message, parsedMessages, systemText } from './messages.js';
import { type Notes, notesOf } from './notes.js';
import { type Outcome, outcomeOf } from './outcome.js';
import { type Content, inputContent, outputContent } from './span-content.js';
import { type SpanRole, spanRole } from './span-role.js';
import { type Cost, costOf, type TokenUsage, tokenUsage } from './usage.js';

const isValue = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** An ended span as the rows of a table read it. What takes work is done once, when it is first asked for. */
export class SourceSpan {
  readonly span: ReadableSpan;
  readonly attributes: Attributes;
  readonly role: SpanRole;
  /** What was asked for before. */
  readonly #made = new Map<string, unknown>();

  constructor(span: ReadableSpan) {
    this.span = span;
    this.attributes = span.attributes;
    this.role = spanRole(span.name, span.attributes);
  }

  /** The root of its trace, or a turn below a span of whoever called. */
  get isRoot(): boolean {
    return this.span.parentSpanContext === undefined || this.attributes[semconv.ATTR_HERMES_TURN_KIND] !== undefined;
  }

  /** `undefined` for what is no value of an attribute. */
  get(name: string): AttributeValue | undefined {
    const value: unknown = this.attributes[name];
    return isValue(value) || (Array.isArray(value) && value.every((item) => item === null || isValue(item)))
      ? (value as AttributeValue)
      : undefined;
  }

  text(name: string): string | undefined {
    const value = this.attributes[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** An amount from 0 that sums of can be made of. */
  count(name: string): number | undefined {
    const value = this.attributes[name];
    return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
  }

  get inputMessages(): readonly Message[] | undefined {
    return this.#once('inputMessages', () => parsedMessages(this.attributes[semconv.ATTR_GEN_AI_INPUT_MESSAGES]));
  }

  get outputMessages(): readonly Message[] | undefined {
    return this.#once('outputMessages', () => parsedMessages(this.attributes[semconv.ATTR_GEN_AI_OUTPUT_MESSAGES]));
  }

  /** The system prompt, where the messages do not begin with it anyway. */
  get systemText(): string | undefined {
    if (this.inputMessages?.some(({ role }) => role === 'system' || role === 'developer')) return undefined;
    return systemText(this.attributes[semconv.ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]);
  }

  /** What went into it; `undefined` without content. */
  get input(): Content | undefined {
    return this.#once('input', () => inputContent(this));
  }

  get output(): Content | undefined {
    return this.#once('output', () => outputContent(this));
  }

  get usage(): TokenUsage {
    return this.#once('usage', () => tokenUsage(this));
  }

  get cost(): Cost {
    return this.#once('cost', () => costOf(this));
  }

  get notes(): Notes {
    return this.#once('notes', () => notesOf(this));
  }

  /** What went wrong or was not let through; `undefined` where all is well. */
  get outcome(): Outcome | undefined {
    return this.#once('outcome', () => outcomeOf(this));
  }

  #once<T>(name: string, make: () => T): T {
    if (this.#made.has(name)) return this.#made.get(name) as T;
    const made = make();
    this.#made.set(name, made);
    return made;
  }
}
