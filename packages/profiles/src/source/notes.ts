import { semconv } from '@hermes-observer/otel';
import type { Attributes } from '@opentelemetry/api';
import type { SourceSpan } from './source-span.js';

const NAMED: readonly (readonly [note: string, attribute: string])[] = [
  ['turn_id', semconv.ATTR_HERMES_TURN_ID],
  ['platform', semconv.ATTR_HERMES_PLATFORM],
  ['turn_outcome', semconv.ATTR_HERMES_TURN_OUTCOME],
  ['exit_reason', semconv.ATTR_HERMES_TURN_EXIT_REASON],
  ['subagent_status', semconv.ATTR_HERMES_SUBAGENT_STATUS],
  ['tool_status', semconv.ATTR_HERMES_TOOL_STATUS],
  ['blocked_by', semconv.ATTR_HERMES_TOOL_BLOCKED_BY],
  ['approval_choice', semconv.ATTR_HERMES_APPROVAL_CHOICE],
  ['decided_by', semconv.ATTR_HERMES_APPROVAL_DECIDED_BY],
  ['pattern_key', semconv.ATTR_HERMES_APPROVAL_PATTERN_KEY],
  ['human_input_outcome', semconv.ATTR_HERMES_HUMAN_INPUT_OUTCOME],
  ['aux_task', semconv.ATTR_HERMES_AUX_TASK],
  ['attempts', semconv.ATTR_HERMES_API_ATTEMPTS],
  ['incomplete_reason', semconv.ATTR_HERMES_INCOMPLETE_REASON],
];

const POLICY_PREFIX = 'hermes.policy.';

/** By name: numbers, texts, lists. */
export type Notes = Readonly<Record<string, unknown>>;

/** What other ends have no names for, as short notes that they can filter by. */
export function notesOf(source: SourceSpan): Notes {
  const notes: Record<string, unknown> = {};
  for (const [note, attribute] of NAMED) {
    const value = source.get(attribute);
    if (value !== undefined) notes[note] = value;
  }
  // A trace belongs to one session there, that of its root; whose the span is itself is noted.
  if (!source.isRoot) {
    const session = source.text(semconv.ATTR_GEN_AI_CONVERSATION_ID);
    if (session !== undefined) notes.session_id = session;
  }
  const events = source.span.events;
  const failed = events.filter(({ name }) => name === semconv.EVENT_HERMES_API_ATTEMPT_FAILED);
  if (failed.length > 0) notes.failed_attempts = failed.map(({ attributes }) => failedAttempt(attributes ?? {}));
  const decisions = events.filter(({ name }) => name === semconv.EVENT_HERMES_POLICY_DECISION);
  if (decisions.length > 0) notes.policy_decisions = decisions.map(({ attributes }) => decision(attributes ?? {}));
  return notes;
}

const failedAttempt = (attributes: Attributes) => ({
  attempt: attributes[semconv.ATTR_HERMES_API_ATTEMPT],
  error_type: attributes[semconv.ATTR_ERROR_TYPE],
  status_code: attributes[semconv.ATTR_HTTP_RESPONSE_STATUS_CODE],
  reason: attributes[semconv.ATTR_HERMES_RETRY_REASON],
});

const decision = (attributes: Attributes) =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => name.startsWith(POLICY_PREFIX))
      .map(([name, value]) => [name.slice(POLICY_PREFIX.length), value]),
  );
