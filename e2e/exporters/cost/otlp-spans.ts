import { readFileSync } from 'node:fs';

type AnyValue = {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
};

export interface WrittenSpan {
  readonly name: string;
  /** Texts and numbers. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

const plainValue = ({ stringValue, intValue, doubleValue }: AnyValue) =>
  stringValue ?? (intValue === undefined ? doubleValue : Number(intValue));

/** Spans of a file of OTLP/JSON, one request a line. */
export function spansOf(path: string): WrittenSpan[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => JSON.parse(line).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(({ name, attributes }) => ({
      name,
      attributes: Object.fromEntries(
        attributes.map(({ key, value }: { key: string; value: AnyValue }) => [key, plainValue(value)]),
      ),
    }));
}

/** Sums over all spans; costs in millionths of a dollar. */
export function totalsOf(spans: readonly WrittenSpan[]) {
  const sum = (name: string) => spans.reduce((total, { attributes }) => total + Number(attributes[name] ?? 0), 0);
  const micros = (name: string) => Math.round(sum(name) * 1e12) / 1e6;
  const statuses: Record<string, number> = {};
  for (const { attributes } of spans) {
    const status = attributes['hermes.cost.status'];
    if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return {
    input: sum('gen_ai.usage.input_tokens'),
    cacheRead: sum('gen_ai.usage.cache_read.input_tokens'),
    cacheWrite: sum('gen_ai.usage.cache_creation.input_tokens'),
    output: sum('gen_ai.usage.output_tokens'),
    reasoning: sum('gen_ai.usage.reasoning.output_tokens'),
    usd: micros('hermes.cost.usd'),
    inputUsd: micros('hermes.cost.input_usd'),
    outputUsd: micros('hermes.cost.output_usd'),
    statuses,
  };
}
