import { semconv } from '@hermes-observer/otel';
import type { MappingRow, Profile } from '../mapping/profile.js';
import { ATTR_GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS, ATTR_HERMES_SUBAGENT_ID } from '../semconv.js';
import { parsedJson } from '../source/messages.js';

/**
 * Which names of the GenAI conventions spans have: those they are made with (core conventions 1.41.1), those of the first
 * release of the conventions of their own (0.1.0), or both where they differ.
 */
export type GenAiVersion = '1.41.1' | '0.1.0' | 'both';

const SCHEMA_URL_OF_0_1_0 = 'https://opentelemetry.io/schemas/gen-ai/0.1.0';

/** What 0.1.0 names or means otherwise. `moves` is what is gone with it, unless both are wanted. */
const CHANGES: readonly MappingRow[] = [
  {
    name: ATTR_GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS,
    type: 'int',
    on: ['chat'],
    from: '`gen_ai.usage.cache_creation.input_tokens`',
    value: (source) => source.count(semconv.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS),
    moves: [semconv.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS],
  },
  {
    name: ATTR_HERMES_SUBAGENT_ID,
    type: 'string',
    on: ['agent'],
    from: '`gen_ai.agent.id`, which 0.1.0 keeps for ids that outlive a run',
    value: (source) => source.text(semconv.ATTR_GEN_AI_AGENT_ID),
    moves: [semconv.ATTR_GEN_AI_AGENT_ID],
  },
  {
    name: semconv.ATTR_GEN_AI_OUTPUT_MESSAGES,
    type: 'JSON string',
    on: ['agent', 'chat'],
    from: 'itself, without the deprecated `finish_reason` of messages: `gen_ai.response.finish_reasons` has them',
    value: (source) => withoutFinishReasons(source.text(semconv.ATTR_GEN_AI_OUTPUT_MESSAGES)),
    moves: [semconv.ATTR_GEN_AI_OUTPUT_MESSAGES],
  },
];

export interface GenAiOptions {
  /** @default what `OTEL_SEMCONV_STABILITY_OPT_IN` says: see `genAiVersion` */
  readonly version?: GenAiVersion | undefined;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The names of the GenAI conventions, in the version that is asked for. Everything else stays on the spans as it is. */
export function genAiProfile({ version, env = process.env }: GenAiOptions = {}): Profile {
  const wanted = version ?? genAiVersion(env);
  if (wanted === '1.41.1') return { name: 'genai', rows: [], keepsAll: true };
  if (wanted === '0.1.0') return { name: 'genai', rows: CHANGES, keepsAll: true, schemaUrl: SCHEMA_URL_OF_0_1_0 };
  // With both, what changes in place stays as it was: the schema URL still tells the truth.
  const further = CHANGES.filter(({ name, moves }) => moves?.includes(name) !== true);
  return { name: 'genai', rows: further.map(({ moves: _, ...row }) => row), keepsAll: true };
}

/** For the page: all that differs. */
export const GENAI_ROWS: readonly MappingRow[] = CHANGES;

/**
 * The version that `OTEL_SEMCONV_STABILITY_OPT_IN`, a list with commas, asks for: 0.1.0 with `gen_ai_latest_experimental`,
 * both with `gen_ai_latest_experimental/dup` (which wins), else 1.41.1. Other members of the list are for others.
 */
export function genAiVersion(env: Readonly<Record<string, string | undefined>>): GenAiVersion {
  const members = (env.OTEL_SEMCONV_STABILITY_OPT_IN ?? '').split(',').map((member) => member.trim());
  if (members.includes('gen_ai_latest_experimental/dup')) return 'both';
  return members.includes('gen_ai_latest_experimental') ? '0.1.0' : '1.41.1';
}

/** `undefined` where there is nothing to take out. */
function withoutFinishReasons(text: string | undefined): string | undefined {
  if (text === undefined || !text.includes('"finish_reason"')) return undefined;
  const messages = parsedJson(text);
  if (!Array.isArray(messages)) return undefined;
  const without = messages.map((message: unknown) => {
    if (typeof message !== 'object' || message === null) return message;
    const { finish_reason: _, ...rest } = message as Record<string, unknown>;
    return rest;
  });
  return JSON.stringify(without);
}
