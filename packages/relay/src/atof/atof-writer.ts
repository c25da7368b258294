import { wellFormed } from '@hermes-observer/core';
import { roleOf } from '../spans/role.js';
import type { SpanFacts } from '../spans/span-facts.js';
import { Announcements, type NewestRequest, type Ready } from './announcements.js';
import type { AtofEvent } from './event.js';
import { endEvent, marksOf, startEvent } from './events-of-span.js';

/** A line of the file, without its newline, and what tells it from all others. */
export interface AtofLine {
  readonly key: string;
  readonly text: string;
}

/** Scopes whose start was written and whose end was not; over it the oldest are forgotten, and get a start a second time. */
const MOST_STARTED = 100_000;

/** Spans to lines of ATOF. Holds back a request without an answer until its tool calls are known. */
export class AtofWriter {
  readonly #announcements = new Announcements();
  readonly #started = new Set<string>();

  /** A span has begun: its start, to be written at once. Only for who sees spans begin. */
  started(span: SpanFacts): AtofLine[] {
    const role = roleOf(span);
    if (role === 'other') return [];
    const isAnnounced = role === 'tool' ? this.#announcements.isAnnounced(span) : true;
    const event = startEvent(span, role, { isAnnounced });
    if (event === undefined) return [];
    this.#started.add(event.uuid);
    if (this.#started.size > MOST_STARTED) this.#started.delete(this.#started.values().next().value as string);
    return [lineOf(event)];
  }

  /** A span has ended: what is to be written now. */
  *ended(span: SpanFacts): Generator<AtofLine, void, void> {
    const role = roleOf(span);
    if (role === 'other') return;
    for (const ready of this.#announcements.of(span, role)) yield* this.#linesOf(ready);
  }

  /** What was held back. */
  *rest(): Generator<AtofLine, void, void> {
    for (const ready of this.#announcements.rest()) yield* this.#linesOf(ready);
  }

  /** What is held back, and what is known of requests, for `restore`. */
  save(): NewestRequest[] {
    return this.#announcements.save();
  }

  restore(saved: readonly NewestRequest[]): void {
    this.#announcements.restore(saved);
  }

  *#linesOf({ span, ...known }: Ready): Generator<AtofLine, void, void> {
    const role = roleOf(span);
    const start = startEvent(span, role, known);
    if (start !== undefined && !this.#started.delete(start.uuid)) yield lineOf(start);
    for (const mark of marksOf(span, role)) yield lineOf(mark);
    const end = endEvent(span, role, known);
    if (end !== undefined) yield lineOf(end);
  }
}

function lineOf(event: AtofEvent): AtofLine {
  const text = JSON.stringify(event);
  const key = event.kind === 'scope' && event.scope_category === 'start' ? `${event.uuid}:start` : event.uuid;
  // JSON lets a half of a character stand as an escape, and readers in other languages fail on it.
  const isWhole = !/\\u[dD][89a-fA-F]/.test(text);
  return {
    key,
    text: isWhole ? text : JSON.stringify(event, (_, value) => (typeof value === 'string' ? wellFormed(value) : value)),
  };
}
