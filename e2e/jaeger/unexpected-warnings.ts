import type { SpanWarning } from './jaeger-api.js';
import type { SpanFacts } from './span-facts.js';

const CLOCK_SKEW = /^clock skew adjustment disabled; not applying calculated delta of /;

/**
 * What Jaeger warns of, but for one thing: work that began before its parent or outlived it. A subagent in the background
 * does; Jaeger takes the clocks of two machines for the cause.
 */
export function unexpectedWarnings(spans: readonly SpanFacts[], warnings: readonly SpanWarning[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  return warnings
    .filter(({ spanId, text }) => !(CLOCK_SKEW.test(text) && leavesItsParent(byId, spanId)))
    .map(({ spanId, text }) => `${spanId} ${byId.get(spanId)?.name}: ${text}`);
}

function leavesItsParent(spans: ReadonlyMap<string, SpanFacts>, spanId: string): boolean {
  const span = spans.get(spanId);
  const parent = spans.get(span?.parentSpanId ?? '');
  return span !== undefined && parent !== undefined && (span.start < parent.start || span.end > parent.end);
}
