import type { ReadableSpan } from '@hermes-observer/otel';
import { copySpan, semconv } from '@hermes-observer/otel';
import { type Attributes, type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { ATTR_GEN_AI_TOKEN_MODALITY, ATTR_HERMES_COST_USD, TOKEN_MODALITY_UNKNOWN } from '../semconv.js';
import type { InstrumentName } from './instruments.js';
import type { AgentRun } from './open-agents.js';
import type { Measured, Recorder } from './recorder.js';

const USAGE = [
  ['gen_ai.client.inference.usage.input_tokens', semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS],
  ['gen_ai.client.inference.usage.output_tokens', semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS],
  ['gen_ai.client.inference.usage.cache_read.input_tokens', semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS],
  ['gen_ai.client.inference.usage.cache_write.input_tokens', semconv.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS],
  ['gen_ai.client.inference.usage.reasoning.output_tokens', semconv.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS],
] as const satisfies readonly (readonly [InstrumentName, string])[];

const MODALITY: Attributes = Object.freeze({ [ATTR_GEN_AI_TOKEN_MODALITY]: TOKEN_MODALITY_UNKNOWN });

/** What each kind of span is measured by. Durations are the spans' own. */
export class SpanMeasures {
  readonly #to: Recorder;
  readonly #redact: ((span: ReadableSpan) => ReadableSpan) | undefined;

  constructor(recorder: Recorder, redact?: (span: ReadableSpan) => ReadableSpan) {
    this.#to = recorder;
    this.#redact = redact;
  }

  chat(span: ReadableSpan): void {
    const { attributes } = span;
    const of = this.#measured(span);
    const to = this.#to;
    const operation = to.labels('operation', of);
    to.record('gen_ai.client.inference.duration', secondsOf(span), operation, of);
    const first = numberOf(attributes, semconv.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK);
    if (first !== undefined) {
      to.record('gen_ai.client.inference.time_to_first_chunk', first, to.labels('inference', of), of);
    }
    // A request without usage counts as 0, as the conventions ask for.
    const usage = to.labels('usage', this.#measured(span, MODALITY));
    for (const [name, attribute] of USAGE) to.add(name, numberOf(attributes, attribute) ?? 0, usage, of);
    const input = numberOf(attributes, semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS) ?? 0;
    const output = numberOf(attributes, semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS) ?? 0;
    to.record('gen_ai.client.inference.operation.input_tokens', input, operation, of);
    to.record('gen_ai.client.inference.operation.output_tokens', output, operation, of);
    const cost = numberOf(attributes, ATTR_HERMES_COST_USD);
    if (cost !== undefined) to.add('hermes.cost.usd', cost, to.labels('cost', of), of);
    this.#events(span, semconv.EVENT_HERMES_API_ATTEMPT_FAILED, 'hermes.api.failed_attempts', 'attempt');
  }

  tool(span: ReadableSpan, agent: string | undefined): void {
    const more = agent === undefined ? undefined : { [semconv.ATTR_GEN_AI_AGENT_NAME]: agent };
    const of = this.#measured(span, more);
    this.#to.record('gen_ai.execute_tool.duration', secondsOf(span), this.#to.labels('tool', of), of);
    if (span.attributes[semconv.ATTR_HERMES_TOOL_STATUS] === 'blocked') {
      this.#to.add('hermes.tool.blocked', 1, this.#to.labels('blocked', of), of);
    }
    this.#events(span, semconv.EVENT_HERMES_POLICY_DECISION, 'hermes.policy.decisions', 'policy');
  }

  /** @param run what it did, where its start was seen */
  agent(span: ReadableSpan, run: AgentRun | undefined): void {
    const { attributes } = span;
    const of = this.#measured(span);
    const to = this.#to;
    const labels = to.labels('agent', of);
    to.record('gen_ai.invoke_agent.duration', secondsOf(span), labels, of);
    const requests = numberOf(attributes, semconv.ATTR_HERMES_TURN_API_CALLS) ?? run?.inferenceCalls;
    if (requests !== undefined) to.record('gen_ai.invoke_agent.inference_calls', requests, labels, of);
    const calls = numberOf(attributes, semconv.ATTR_HERMES_TURN_TOOL_CALLS) ?? run?.toolCalls;
    if (calls !== undefined) to.record('gen_ai.invoke_agent.tool_calls', calls, labels, of);
    const isTurn = semconv.ATTR_HERMES_TURN_OUTCOME in attributes;
    if (isTurn) to.add('hermes.turn.outcomes', 1, to.labels('turn', of), of);
    else to.add('hermes.subagent.outcomes', 1, to.labels('subagent', of), of);
  }

  wait(span: ReadableSpan, kind: 'approval' | 'human_input'): void {
    const of = this.#measured(span);
    const to = this.#to;
    if (kind === 'approval') to.record('hermes.approval.duration', secondsOf(span), to.labels('approval', of), of);
    else to.record('hermes.human_input.duration', secondsOf(span), to.labels('humanInput', of), of);
  }

  incomplete(span: ReadableSpan): void {
    const of = this.#measured(span);
    this.#to.add('hermes.span.incomplete', 1, this.#to.labels('incomplete', of), of);
  }

  /** One for each event of a name, labelled by the event, else by the span. */
  #events(span: ReadableSpan, event: string, name: InstrumentName, list: 'attempt' | 'policy'): void {
    if (span.events.length === 0) return;
    for (const [i, each] of span.events.entries()) {
      if (each.name !== event) continue;
      const of: Measured = {
        attributes: { ...span.attributes, ...each.attributes },
        redacted: () => {
          const safe = this.#redacted(span);
          return { ...safe.attributes, ...safe.events[i]?.attributes };
        },
        context: contextOf(span),
      };
      this.#to.add(name, 1, this.#to.labels(list, of), of);
    }
  }

  #measured(span: ReadableSpan, more?: Attributes): Measured {
    const { attributes } = span;
    const redacted = () =>
      this.#redacted(more === undefined ? span : copySpan(span, { attributes: { ...attributes, ...more } })).attributes;
    return { attributes, more, redacted, context: contextOf(span) };
  }

  #redacted(span: ReadableSpan): ReadableSpan {
    return this.#redact === undefined ? span : this.#redact(span);
  }
}

const contextOf = (span: ReadableSpan): Context => trace.setSpanContext(ROOT_CONTEXT, span.spanContext());

/** A sum that went down, or is none any more, would be wrong for ever. */
function secondsOf({ duration: [seconds, nanos] }: ReadableSpan): number {
  const duration = seconds + nanos / 1e9;
  return duration > 0 && duration <= Number.MAX_SAFE_INTEGER ? duration : 0;
}

function numberOf(attributes: Attributes, name: string): number | undefined {
  const value = attributes[name];
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
