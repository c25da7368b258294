import { semconv } from '@hermes-observer/otel';
import { ATTR_HERMES_COST_USD } from '../semconv.js';
import { amountAttribute, countAttribute } from '../spans/content.js';
import type { SpanFacts } from '../spans/span-facts.js';
import type { FinalMetrics, Metrics, Step, Trajectory } from './trajectory.js';

/** What a request used; `undefined` where it did not say. */
export function metricsOf({ attributes }: SpanFacts): Metrics | undefined {
  const count = (name: string) => countAttribute(attributes, name);
  const further = withoutAbsent({
    cache_creation_input_tokens: count(semconv.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS),
    reasoning_tokens: count(semconv.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS),
  });
  const metrics: Metrics = withoutAbsent({
    prompt_tokens: count(semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS),
    completion_tokens: count(semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS),
    cached_tokens: count(semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS),
    cost_usd: amountAttribute(attributes, ATTR_HERMES_COST_USD),
    extra: Object.keys(further).length > 0 ? further : undefined,
  });
  return Object.keys(metrics).length === 0 ? undefined : metrics;
}

interface Totals {
  prompt_tokens?: number;
  completion_tokens?: number;
  cached_tokens?: number;
  cost_usd?: number;
}

const KEYS = ['prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost_usd'] as const;

/**
 * Sums of a trajectory. Tokens are those of its own steps; costs are those of its subagents as well, as the format says. With
 * subagents, `extra.with_subagents` has the tokens of all. What nobody said stays absent.
 */
export function finalMetrics(steps: readonly Pick<Step, 'metrics'>[], subagents: readonly Trajectory[]): FinalMetrics {
  const own: Totals = {};
  for (const { metrics } of steps) if (metrics !== undefined) addTo(own, metrics);
  const all: Totals = { ...own };
  for (const subagent of subagents) addTo(all, totalsOf(subagent));
  const { cost_usd: _, ...tokens } = all;
  return withoutAbsent({
    total_prompt_tokens: own.prompt_tokens,
    total_completion_tokens: own.completion_tokens,
    total_cached_tokens: own.cached_tokens,
    total_cost_usd: all.cost_usd,
    total_steps: steps.length,
    extra: subagents.length > 0 ? { with_subagents: tokens } : undefined,
  });
}

/** Of a trajectory with all below it. */
function totalsOf({ final_metrics: final }: Trajectory): Totals {
  const all = final.extra?.with_subagents as Totals | undefined;
  return {
    ...(all ??
      withoutAbsent({
        prompt_tokens: final.total_prompt_tokens,
        completion_tokens: final.total_completion_tokens,
        cached_tokens: final.total_cached_tokens,
      })),
    ...(final.total_cost_usd !== undefined && { cost_usd: final.total_cost_usd }),
  };
}

function addTo(totals: Totals, metrics: Totals): void {
  for (const key of KEYS) {
    const value = metrics[key];
    if (value !== undefined) totals[key] = (totals[key] ?? 0) + value;
  }
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function withoutAbsent<T extends object>(object: T): Present<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Present<T>;
}
