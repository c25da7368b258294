import type { LabelList } from './labels.js';

/** One metric: its instrument, unit, buckets of a histogram, and labels. */
export interface InstrumentRow {
  readonly kind: 'Counter' | 'Histogram';
  readonly unit: string;
  readonly labels: LabelList;
  /** Upper bounds, as the conventions advise them. */
  readonly buckets?: readonly number[];
  readonly source: 'semconv' | 'hermes';
  readonly description: string;
}

/** `count` bounds, each `factor` times the one before. */
const growing = (first: number, factor: number, count: number) =>
  Array.from({ length: count }, (_, i) => Number((first * factor ** i).toPrecision(12)));

const REQUEST_SECONDS = growing(0.01, 2, 14);
const AGENT_SECONDS = growing(0.1, 2, 13);
const CALLS = growing(1, 2, 8);
const TOKENS = growing(1, 4, 14);
/** People may take a day. */
const WAIT_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400];

/** Every metric, in the order of `docs/metrics-and-logs.md`, whose table is made of this. */
export const INSTRUMENTS = {
  'gen_ai.client.inference.duration': {
    kind: 'Histogram',
    unit: 's',
    labels: 'operation',
    buckets: REQUEST_SECONDS,
    source: 'semconv',
    description: 'Duration of a model request, all its attempts included.',
  },
  'gen_ai.client.inference.time_to_first_chunk': {
    kind: 'Histogram',
    unit: 's',
    labels: 'inference',
    buckets: REQUEST_SECONDS,
    source: 'semconv',
    description: 'From the start of the answering attempt to the first chunk of its stream.',
  },
  'gen_ai.client.inference.usage.input_tokens': {
    kind: 'Counter',
    unit: '{token}',
    labels: 'usage',
    source: 'semconv',
    description: 'Input tokens, cached ones included.',
  },
  'gen_ai.client.inference.usage.output_tokens': {
    kind: 'Counter',
    unit: '{token}',
    labels: 'usage',
    source: 'semconv',
    description: 'Output tokens, reasoning included.',
  },
  'gen_ai.client.inference.usage.cache_read.input_tokens': {
    kind: 'Counter',
    unit: '{token}',
    labels: 'usage',
    source: 'semconv',
    description: 'The part of the input tokens that was read from a cache.',
  },
  'gen_ai.client.inference.usage.cache_write.input_tokens': {
    kind: 'Counter',
    unit: '{token}',
    labels: 'usage',
    source: 'semconv',
    description: 'The part of the input tokens that was written to a cache.',
  },
  'gen_ai.client.inference.usage.reasoning.output_tokens': {
    kind: 'Counter',
    unit: '{token}',
    labels: 'usage',
    source: 'semconv',
    description: 'The part of the output tokens that is reasoning.',
  },
  'gen_ai.client.inference.operation.input_tokens': {
    kind: 'Histogram',
    unit: '{token}',
    labels: 'operation',
    buckets: TOKENS,
    source: 'semconv',
    description: 'Input tokens of one request.',
  },
  'gen_ai.client.inference.operation.output_tokens': {
    kind: 'Histogram',
    unit: '{token}',
    labels: 'operation',
    buckets: TOKENS,
    source: 'semconv',
    description: 'Output tokens of one request.',
  },
  'hermes.cost.usd': {
    kind: 'Counter',
    unit: '{USD}',
    labels: 'cost',
    source: 'hermes',
    description: 'Cost of requests, where `hermes.cost.usd` is on their spans.',
  },
  'gen_ai.execute_tool.duration': {
    kind: 'Histogram',
    unit: 's',
    labels: 'tool',
    buckets: REQUEST_SECONDS,
    source: 'semconv',
    description: 'Duration of a tool call, waits for approval included.',
  },
  'gen_ai.invoke_agent.duration': {
    kind: 'Histogram',
    unit: 's',
    labels: 'agent',
    buckets: AGENT_SECONDS,
    source: 'semconv',
    description: 'Duration of a turn, or of a child agent.',
  },
  'gen_ai.invoke_agent.inference_calls': {
    kind: 'Histogram',
    unit: '{inference_call}',
    labels: 'agent',
    buckets: CALLS,
    source: 'semconv',
    description:
      'Model requests of a turn or child agent itself: no attempts, no auxiliary ones, none of its children.',
  },
  'gen_ai.invoke_agent.tool_calls': {
    kind: 'Histogram',
    unit: '{tool_call}',
    labels: 'agent',
    buckets: CALLS,
    source: 'semconv',
    description: 'Tool calls of a turn or child agent itself: none of its children, none made inside `execute_code`.',
  },
  'hermes.turn.outcomes': {
    kind: 'Counter',
    unit: '{turn}',
    labels: 'turn',
    source: 'hermes',
    description: 'Turns that ended, by how.',
  },
  'hermes.subagent.outcomes': {
    kind: 'Counter',
    unit: '{agent}',
    labels: 'subagent',
    source: 'hermes',
    description: 'Child agents that ended, by how.',
  },
  'hermes.tool.blocked': {
    kind: 'Counter',
    unit: '{tool_call}',
    labels: 'blocked',
    source: 'hermes',
    description: 'Tool calls that were blocked.',
  },
  'hermes.api.failed_attempts': {
    kind: 'Counter',
    unit: '{attempt}',
    labels: 'attempt',
    source: 'hermes',
    description: 'Attempts of model requests that failed, those that were tried again included.',
  },
  'hermes.approval.duration': {
    kind: 'Histogram',
    unit: 's',
    labels: 'approval',
    buckets: WAIT_SECONDS,
    source: 'hermes',
    description: 'How long approvals were waited for; its count is how many there were.',
  },
  'hermes.human_input.duration': {
    kind: 'Histogram',
    unit: 's',
    labels: 'humanInput',
    buckets: WAIT_SECONDS,
    source: 'hermes',
    description: 'How long people were waited for otherwise.',
  },
  'hermes.policy.decisions': {
    kind: 'Counter',
    unit: '{decision}',
    labels: 'policy',
    source: 'hermes',
    description: 'Decisions of policy gates about tool calls.',
  },
  'hermes.span.incomplete': {
    kind: 'Counter',
    unit: '{span}',
    labels: 'incomplete',
    source: 'hermes',
    description: 'Spans that nothing ended and that were closed.',
  },
} as const satisfies Readonly<Record<string, InstrumentRow>>;

export type InstrumentName = keyof typeof INSTRUMENTS;
