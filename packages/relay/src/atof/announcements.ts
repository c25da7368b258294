import { compareTime } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import { textAttribute } from '../spans/content.js';
import { type AskedCall, callsOf, messagesOf } from '../spans/messages.js';
import { isAgent, type Role } from '../spans/role.js';
import type { SpanFacts } from '../spans/span-facts.js';

/** A span that may be written now, with what is known of it. */
export interface Ready {
  readonly span: SpanFacts;
  readonly calls: readonly AskedCall[];
  readonly isAnnounced: boolean;
}

/** The newest request of one agent, as it can be saved. */
export interface NewestRequest {
  /** Trace and span of the agent. */
  readonly agent: string;
  readonly requestId?: string;
  /** Ids of the calls that its answer asked for. */
  readonly asked: readonly string[];
  /** An auxiliary request was answered since: readers would give its results to that one. */
  readonly isPassed?: boolean;
  /** It is held back until its calls are known, since its answer does not say them. */
  readonly held?: { readonly span: SpanFacts; readonly calls: readonly AskedCall[] };
}

/** More agents at once: the one that was silent for longest is not waited for any more. */
const MOST_AGENTS = 10_000;

/**
 * Which request asked for which tool call. Readers of ATOF take the calls of a request from its answer, and give a result to the
 * newest answer before it; a result whose id is not there is an error to them. With content off no answer is there, and the
 * calls are known from their own spans alone: such a request is held back until the next one of its agent, or the end of the
 * agent.
 */
export class Announcements {
  readonly #agents = new Map<string, NewestRequest>();

  /** Takes an ended span. What it gives may be written, in this order; it is not always that span. */
  *of(span: SpanFacts, role: Role): Generator<Ready, void, void> {
    const agent = agentOf(span);
    if (role === 'tool') yield { span, calls: [], isAnnounced: this.#isAnnounced(agent, span) };
    else if (role === 'chat') yield* this.#request(agent, span);
    else {
      const newest = this.#agents.get(agent);
      if (role === 'auxiliary' && newest !== undefined) this.#agents.set(agent, { ...newest, isPassed: true });
      if (isAgent(role)) yield* this.#release(`${span.traceId}/${span.spanId}`);
      yield { span, calls: [], isAnnounced: true };
    }
  }

  /** What is held back, as far as it is known. */
  *rest(): Generator<Ready, void, void> {
    for (const agent of [...this.#agents.keys()]) yield* this.#release(agent);
  }

  /** All that is known, for `restore`. What was saved stays as it is. */
  save(): NewestRequest[] {
    return [...this.#agents.values()];
  }

  /** Goes back to what was saved. */
  restore(saved: readonly NewestRequest[]): void {
    this.#agents.clear();
    for (const newest of saved) this.#agents.set(newest.agent, newest);
  }

  /** Whether the newest request of its agent asked for a tool call that begins or has ended; with content off, notes that it did. */
  isAnnounced(span: SpanFacts): boolean {
    return this.#isAnnounced(agentOf(span), span);
  }

  #isAnnounced(agent: string, { attributes, start }: SpanFacts): boolean {
    const id = textAttribute(attributes, semconv.ATTR_GEN_AI_TOOL_CALL_ID);
    const newest = this.#agents.get(agent);
    if (newest === undefined || id === undefined) return false;
    const { held, requestId, asked, isPassed = false } = newest;
    if (held === undefined) return asked.includes(id) && !isPassed;
    const asks = textAttribute(attributes, semconv.ATTR_HERMES_API_REQUEST_ID);
    const isIts = asks === undefined ? compareTime(start, held.span.end) >= 0 : asks === requestId;
    if (!isIts) return false;
    if (held.calls.some((call) => call.id === id)) return !isPassed;
    const name = textAttribute(attributes, semconv.ATTR_GEN_AI_TOOL_NAME) ?? '';
    const calls = [...held.calls, { id, name, arguments: {} }];
    this.#agents.set(agent, { ...newest, held: { ...held, calls } });
    return !isPassed;
  }

  *#request(agent: string, span: SpanFacts): Generator<Ready, void, void> {
    yield* this.#release(agent);
    const answers = messagesOf(span.attributes[semconv.ATTR_GEN_AI_OUTPUT_MESSAGES]);
    const isSilent = answers.length === 0 && !span.isError;
    const requestId = textAttribute(span.attributes, semconv.ATTR_HERMES_API_REQUEST_ID);
    this.#agents.set(agent, {
      agent,
      ...(requestId !== undefined && { requestId }),
      asked: answers.flatMap(callsOf).map(({ id }) => id),
      ...(isSilent && { held: { span, calls: [] } }),
    });
    if (!isSilent) yield { span, calls: [], isAnnounced: true };
    if (this.#agents.size > MOST_AGENTS) yield* this.#release(this.#agents.keys().next().value as string);
  }

  *#release(agent: string): Generator<Ready, void, void> {
    const held = this.#agents.get(agent)?.held;
    this.#agents.delete(agent);
    if (held !== undefined) yield { ...held, isAnnounced: true };
  }
}

const agentOf = ({ traceId, parentId = '' }: SpanFacts) => `${traceId}/${parentId}`;
