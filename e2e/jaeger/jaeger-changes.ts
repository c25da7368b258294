import type { SpanWarning } from './jaeger-api.js';
import type { SpanFacts } from './span-facts.js';

/** Nanoseconds of the shortest span that is sent. */
const SHORTEST = 1n;

/** What Jaeger may warn of, and on which spans: those of traces that are as they should be. */
const EXPECTED: readonly { readonly text: RegExp; readonly on: (span: SpanFacts, parent?: SpanFacts) => boolean }[] = [
  {
    // A subagent in the background outlives its parent; Jaeger takes the clocks of two machines for the cause.
    text: /^clock skew adjustment disabled; not applying calculated delta of /,
    on: (span, parent) => parent !== undefined && (span.start < parent.start || span.end > parent.end),
  },
];

/** The warnings that say something is wrong, one line each. `spans` are as Jaeger keeps them. */
export function unexpectedWarnings(spans: readonly SpanFacts[], warnings: readonly SpanWarning[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  return warnings
    .filter(({ spanId, text }) => {
      const span = byId.get(spanId);
      if (span === undefined) return true;
      return !EXPECTED.some((kind) => kind.text.test(text) && kind.on(span, byId.get(span.parentSpanId)));
    })
    .map(({ spanId, text }) => `${spanId} ${byId.get(spanId)?.name}: ${text}`);
}

/** Spans as they are sent and kept: one without length gets a nanosecond. */
export function asKept(spans: readonly SpanFacts[]): SpanFacts[] {
  return spans.map((span) => (span.start < span.end ? span : { ...span, end: span.start + SHORTEST }));
}
