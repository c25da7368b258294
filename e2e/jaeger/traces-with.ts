import type { SpanFacts } from './span-facts.js';

/** Ids of the traces with a span, or an event of one, that has this attribute; sorted. */
export function tracesWith(spans: readonly SpanFacts[], key: string, value: string): string[] {
  const found = spans.filter(({ attributes, events }) =>
    [attributes, ...events].some((facts) => facts[key] !== undefined && textOf(facts[key]) === value),
  );
  return [...new Set(found.map(({ traceId }) => traceId))].sort();
}

/** The value of a fact as a search writes it. */
function textOf(fact: string): string {
  return fact.startsWith('"') ? (JSON.parse(fact) as string) : fact.replace(/^(int|double|bool) /, '');
}
