import { semconv } from '@hermes-observer/otel';
import type { SpanFacts } from './span-facts.js';

/**
 * Attributes that have a place of their own in both formats, or are content, which goes where the format has a place for it. All
 * others are kept under their own names, in `metadata` of ATOF and in `extra` of ATIF.
 */
const PLACED: ReadonlySet<string> = new Set([
  semconv.ATTR_GEN_AI_INPUT_MESSAGES,
  semconv.ATTR_GEN_AI_OUTPUT_MESSAGES,
  semconv.ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  semconv.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  semconv.ATTR_GEN_AI_TOOL_CALL_RESULT,
]);

/** Attributes that neither format has a place for, by their own names. */
export function furtherAttributes(attributes: SpanFacts['attributes']): Record<string, unknown> {
  const further: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && !PLACED.has(name)) further[name] = value;
  }
  return further;
}

/**
 * How a scope came to its end, in Relay's words: `ERROR`, or `OK` for one that ended in the ordinary way. Neither for what was
 * blocked, cancelled, denied, interrupted or cut off: the attributes say which.
 */
export function statusCodeOf({ attributes, isError }: SpanFacts): 'OK' | 'ERROR' | undefined {
  if (isError) return 'ERROR';
  if (attributes[semconv.ATTR_HERMES_INCOMPLETE] === true) return undefined;
  const outcome =
    attributes[semconv.ATTR_HERMES_TURN_OUTCOME] ??
    attributes[semconv.ATTR_HERMES_SUBAGENT_STATUS] ??
    attributes[semconv.ATTR_HERMES_TOOL_STATUS] ??
    'ok';
  return outcome === 'ok' || outcome === 'completed' ? 'OK' : undefined;
}

/** A text attribute, if it is there and not empty. */
export function textAttribute(attributes: SpanFacts['attributes'], name: string): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A count that is one, zero included: readers refuse a document for tokens that are no whole number. */
export function countAttribute(attributes: SpanFacts['attributes'], name: string): number | undefined {
  const value = attributes[name];
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** An amount from 0, such as dollars. */
export function amountAttribute(attributes: SpanFacts['attributes'], name: string): number | undefined {
  const value = attributes[name];
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** What Relay's own Hermes integration calls a request: by its protocol, else by its provider. */
export function requestName(attributes: SpanFacts['attributes']): string {
  const mode = textAttribute(attributes, semconv.ATTR_HERMES_API_MODE);
  return (
    (mode === undefined ? undefined : PROTOCOLS.get(mode)) ??
    textAttribute(attributes, semconv.ATTR_GEN_AI_PROVIDER_NAME) ??
    'chat'
  );
}

const PROTOCOLS: ReadonlyMap<string, string> = new Map([
  ['chat_completions', 'openai.chat_completions'],
  ['codex_responses', 'openai.responses'],
  ['anthropic_messages', 'anthropic.messages'],
]);

/** Model that answered, else the one that was asked. */
export const modelOf = (attributes: SpanFacts['attributes']): string | undefined =>
  textAttribute(attributes, semconv.ATTR_GEN_AI_RESPONSE_MODEL) ??
  textAttribute(attributes, semconv.ATTR_GEN_AI_REQUEST_MODEL);
