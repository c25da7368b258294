import { semconv } from '@hermes-observer/otel';
import { SPAN_KIND } from './span-kind.js';
import { factsOf, textOf } from './span-source.js';
import { rootText, type Trace } from './trace.js';
import type { TraceStore } from './trace-store.js';

/** Traces of a session, and of the agents that it started. */
export function tracesOf(store: TraceStore, session: string): Trace[] {
  const found = new Set<Trace>();
  const sessions = new Set([session]);
  for (let known = -1; known < sessions.size; ) {
    known = sessions.size;
    for (const trace of store.all()) {
      const own = sessionOf(trace);
      if (own === undefined || !sessions.has(own) || found.has(trace)) continue;
      found.add(trace);
      for (const { kind, source } of trace.spans) {
        const child =
          kind === SPAN_KIND.child ? textOf(factsOf(source), semconv.ATTR_GEN_AI_CONVERSATION_ID) : undefined;
        if (child !== undefined) sessions.add(child);
      }
    }
  }
  return [...found];
}

/** The session that a trace's root names. */
export const sessionOf = (trace: Trace): string | undefined => rootText(trace, semconv.ATTR_GEN_AI_CONVERSATION_ID);
