import { ATTR_HERMES_COST_STATUS, ATTR_HERMES_COST_USD } from '@hermes-observer/cost/semconv';
import { semconv } from '@hermes-observer/otel';
import type { Facts } from './facts.js';
import { FLAG } from './span-facts.js';
import { isDecidedByModel, SPAN_KIND } from './span-kind.js';
import { factsOf, numberOf, textOf } from './span-source.js';
import type { StoredSpan } from './stored-span.js';

/** A sum, and how many added to it: nothing known is not 0. */
interface Sum {
  sum: number;
  known: number;
}

/** What one span added, so that it can be taken out again after the span has changed. */
interface Share {
  readonly tokens: readonly (number | undefined)[];
  readonly model: string | undefined;
  readonly tool: string | undefined;
  readonly cost: ShareOfCost | undefined;
}

interface ShareOfCost {
  /** `undefined` where it is not known. */
  readonly usd: number | undefined;
  readonly isExact: boolean;
}

const NO_SHARE: Share = { tokens: [], model: undefined, tool: undefined, cost: undefined };

/** What the spans of a trace add up to. A span counts when it comes; before it changes it is taken out. */
export class Tally {
  running = 0;
  turns = 0;
  requests = 0;
  tools = 0;
  children = 0;
  errors = 0;
  cancelled = 0;
  incomplete = 0;
  /** Spans that wait for a person. */
  readonly waiting = new Set<StoredSpan>();
  /** Approvals whose wait is over without an answer: the request may still be put, as after a restart of the service. */
  readonly unanswered = new Set<StoredSpan>();
  readonly blocked = new Set<StoredSpan>();
  readonly tokens: readonly [input: Sum, cached: Sum, output: Sum] = [zero(), zero(), zero()];
  /** Of `usd` so many are estimates; `unknown` are requests that say that nobody knows. */
  readonly cost: Sum & { estimated: number; unknown: number } = { ...zero(), estimated: 0, unknown: 0 };
  readonly models = new Map<string, number>();
  readonly toolNames = new Map<string, number>();
  readonly #shares = new Map<StoredSpan, Share>();

  /** @param by 1 to add, -1 to take out what the same span, unchanged, has added */
  count(span: StoredSpan, by: 1 | -1): void {
    const { kind, flags } = span;
    if ((flags & FLAG.running) !== 0) this.running += by;
    if ((flags & FLAG.error) !== 0) this.errors += by;
    if ((flags & FLAG.cancelled) !== 0) this.cancelled += by;
    if ((flags & FLAG.incomplete) !== 0) this.incomplete += by;
    if ((flags & FLAG.blocked) !== 0) {
      if (by === 1) this.blocked.add(span);
      else this.blocked.delete(span);
    }
    if (kind === SPAN_KIND.turn) this.turns += by;
    else if (kind === SPAN_KIND.request) this.requests += by;
    else if (kind === SPAN_KIND.tool) this.tools += by;
    else if (kind === SPAN_KIND.child) this.children += by;
    // What a running span says may grow before its change is told: it is taken out as it was counted.
    const share = (by === -1 ? this.#shares.get(span) : undefined) ?? shareOf(span);
    if (by === 1 && span.isRunning) this.#shares.set(span, share);
    else this.#shares.delete(span);
    this.#addShare(share, by);
    this.#countWaiting(span, by);
  }

  #countWaiting(span: StoredSpan, by: 1 | -1): void {
    if (by === -1) {
      this.waiting.delete(span);
      this.unanswered.delete(span);
      return;
    }
    const { kind, flags, source } = span;
    if ((flags & FLAG.running) === 0) {
      if (kind === SPAN_KIND.approval && source.attributes[semconv.ATTR_HERMES_APPROVAL_CHOICE] === 'pending') {
        this.unanswered.add(span);
      }
      return;
    }
    if (kind !== SPAN_KIND.human && (kind !== SPAN_KIND.approval || isDecidedByModel(factsOf(source)))) return;
    this.waiting.add(span);
  }

  #addShare({ tokens, model, tool, cost }: Share, by: 1 | -1): void {
    for (let i = 0; i < tokens.length; i++) {
      const value = tokens[i];
      if (value === undefined) continue;
      const sum = this.tokens[i] as Sum;
      sum.sum += value * by;
      sum.known += by;
    }
    if (cost !== undefined) this.#addCost(cost, by);
    if (model !== undefined) countName(this.models, model, by);
    if (tool !== undefined) countName(this.toolNames, tool, by);
  }

  #addCost({ usd, isExact }: ShareOfCost, by: 1 | -1): void {
    const { cost } = this;
    if (usd === undefined) cost.unknown += by;
    else {
      cost.sum += usd * by;
      cost.known += by;
      if (!isExact) cost.estimated += by;
    }
  }
}

function shareOf({ kind, source }: StoredSpan): Share {
  const attributes = factsOf(source);
  if (kind === SPAN_KIND.tool) {
    return { tokens: [], model: undefined, tool: textOf(attributes, semconv.ATTR_GEN_AI_TOOL_NAME), cost: undefined };
  }
  if (kind !== SPAN_KIND.request && kind !== SPAN_KIND.auxiliary) return NO_SHARE;
  return {
    model: textOf(attributes, semconv.ATTR_GEN_AI_REQUEST_MODEL),
    tool: undefined,
    cost: costOf(attributes),
    tokens: [
      numberOf(attributes, semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS),
      numberOf(attributes, semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS),
      numberOf(attributes, semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS),
    ],
  };
}

function costOf(attributes: Facts): ShareOfCost | undefined {
  const status = textOf(attributes, ATTR_HERMES_COST_STATUS);
  if (status === undefined) return undefined;
  return { usd: numberOf(attributes, ATTR_HERMES_COST_USD), isExact: status === 'exact' };
}

function countName(names: Map<string, number>, name: string, by: 1 | -1): void {
  const count = (names.get(name) ?? 0) + by;
  if (count <= 0) names.delete(name);
  else names.set(name, count);
}

const zero = (): Sum => ({ sum: 0, known: 0 });
