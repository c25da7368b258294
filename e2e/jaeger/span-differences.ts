import type { SpanFacts } from './span-facts.js';

/** Where the spans that were read are not the spans that were sent, one line each; empty if they are the same. */
export function spanDifferences(sent: readonly SpanFacts[], read: readonly SpanFacts[]): string[] {
  const left = new Map<string, SpanFacts>();
  const faults: string[] = [];
  for (const span of read) {
    if (left.has(keyOf(span))) faults.push(`${titleOf(span)}: is there twice`);
    left.set(keyOf(span), span);
  }
  for (const span of sent) {
    const other = left.get(keyOf(span));
    left.delete(keyOf(span));
    if (other === undefined) faults.push(`${titleOf(span)}: is missing`);
    else faults.push(...fieldDifferences(span, other).map((fault) => `${titleOf(span)}: ${fault}`));
  }
  for (const span of left.values()) faults.push(`${titleOf(span)}: was not sent`);
  return faults;
}

const keyOf = ({ traceId, spanId }: SpanFacts) => `${traceId}/${spanId}`;
const titleOf = (span: SpanFacts) => `${keyOf(span)} ${span.name}`;

function fieldDifferences(sent: SpanFacts, read: SpanFacts): string[] {
  return (Object.keys(sent) as (keyof SpanFacts)[]).flatMap((field) =>
    differences(field, sent[field] as Value, read[field] as Value),
  );
}

type Value = string | number | bigint | undefined | readonly Value[] | { readonly [key: string]: Value };

function differences(path: string, sent: Value, read: Value): string[] {
  if (typeof sent === 'object' && typeof read === 'object') {
    const [a, b] = [entriesOf(sent), entriesOf(read)];
    return [...new Set([...a.keys(), ...b.keys()])].flatMap((key) =>
      differences(`${path}.${key}`, a.get(key), b.get(key)),
    );
  }
  return sent === read ? [] : [`${path}: sent ${String(sent)}, read ${String(read)}`];
}

function entriesOf(value: readonly Value[] | { readonly [key: string]: Value }): Map<string, Value> {
  return new Map(Object.entries(value));
}
