import type { Attributes } from './otlp-attributes.js';

export type Numbers = Readonly<Record<string, number>>;

/** Tokens by Langfuse's own names where it is given them; else by its arithmetic on those of others. A missing total is the sum. */
export function usageOf(attributes: Attributes): Numbers {
  const own = attributes['langfuse.observation.usage_details'];
  const details = typeof own === 'string' && own !== '' ? wholeNumbers(JSON.parse(own)) : ofOthers(attributes);
  if (Object.keys(details).length === 0 || details.total !== undefined) return details;
  return { ...details, total: Object.values(details).reduce((sum, value) => sum + value, 0) };
}

function wholeNumbers(value: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, number] => Number.isInteger(entry[1]) && Number(entry[1]) >= 0,
    ),
  );
}

const INPUT = ['prompt_tokens', 'input_tokens', 'prompt'];
const OUTPUT = ['completion_tokens', 'output_tokens', 'completion'];
const TOTAL = ['total_tokens', 'total'];
const READ = ['cache_read.input_tokens', 'cache_read_input_tokens', 'prompt_details.cache_read'];
const WRITTEN = ['cache_creation.input_tokens', 'cache_creation_input_tokens', 'prompt_details.cache_write'];
const REASONING = ['reasoning.output_tokens', 'completion_details.reasoning'];

function ofOthers(attributes: Attributes): Record<string, number> {
  const raw: Record<string, number> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const [, key] = /^(?:gen_ai\.usage|llm\.token_count)\.(.+)$/.exec(name) ?? [];
    if (key !== undefined && key !== 'cost') raw[key] = Number(value);
  }
  const first = (names: readonly string[]) => names.map((name) => raw[name]).find((value) => value !== undefined);
  const known = new Set([...INPUT, ...OUTPUT, ...TOTAL, ...READ, ...WRITTEN, ...REASONING]);
  const details = Object.fromEntries(Object.entries(raw).filter(([name]) => !known.has(name)));
  const [input, output, total] = [first(INPUT), first(OUTPUT), first(TOTAL)];
  const [read, written, reasoning] = [first(READ), first(WRITTEN), first(REASONING)];
  if (input !== undefined) details.input = Math.max(input - (read ?? 0) - (written ?? 0), 0);
  if (output !== undefined) details.output = Math.max(output - (reasoning ?? 0), 0);
  if (total !== undefined) details.total = total;
  if (read !== undefined) details.input_cached_tokens = read;
  if (written !== undefined) details.input_cache_creation = written;
  if (reasoning !== undefined) details.output_reasoning_tokens = reasoning;
  return details;
}

/** US dollars that Langfuse is given; where it is given none it reckons with its own prices, which are not known here. */
export function costOf(attributes: Attributes): Numbers {
  const own = attributes['langfuse.observation.cost_details'];
  if (typeof own !== 'string' || own === '') {
    const total = attributes['gen_ai.usage.cost'] ?? attributes['llm.cost.total'];
    return typeof total === 'number' ? { total } : {};
  }
  return JSON.parse(own) as Numbers;
}
