import { semconv } from '@hermes-observer/otel';
import type { SourceSpan } from './source-span.js';

/** How a span ended that did not end well. A rule that worked is no error: it warns. */
export interface Outcome {
  readonly level: 'error' | 'warning';
  /** One line: what happened, by whom, and why where spans carry that. */
  readonly message: string;
}

/** Answers by which an agent may go on, or which only pass the question on. */
const GRANTED = new Set([
  'once',
  'session',
  'always',
  'smart_approve',
  'submitted',
  'answered',
  'approved',
  'escalated',
]);
const STATUS_ERROR = 2;

/** `undefined` for a span that ended well. */
export function outcomeOf(source: SourceSpan): Outcome | undefined {
  const { span } = source;
  if (span.status.code === STATUS_ERROR) {
    return { level: 'error', message: errorMessage(source) };
  }
  const message = refusal(source) ?? notEnded(source);
  return message === undefined ? undefined : { level: 'warning', message };
}

function errorMessage(source: SourceSpan): string {
  const code = source.count(semconv.ATTR_HTTP_RESPONSE_STATUS_CODE);
  const kind = [source.text(semconv.ATTR_ERROR_TYPE), code].filter((word) => word !== undefined).join(' ');
  return [kind, source.span.status.message].filter((text) => text !== undefined && text !== '').join(': ') || 'failed';
}

function refusal(source: SourceSpan): string | undefined {
  switch (source.role) {
    case 'tool':
      return toolRefusal(source);
    case 'approval':
      return approvalRefusal(source);
    case 'human_input': {
      const outcome = source.text(semconv.ATTR_HERMES_HUMAN_INPUT_OUTCOME);
      return outcome === undefined || GRANTED.has(outcome) ? undefined : outcome;
    }
    case 'agent': {
      const outcome = source.text(semconv.ATTR_HERMES_TURN_OUTCOME) ?? source.text(semconv.ATTR_HERMES_SUBAGENT_STATUS);
      if (outcome === undefined || outcome === 'completed') return undefined;
      return withReason(outcome, source.text(semconv.ATTR_HERMES_TURN_EXIT_REASON));
    }
    default:
      return undefined;
  }
}

function toolRefusal(source: SourceSpan): string | undefined {
  const status = source.text(semconv.ATTR_HERMES_TOOL_STATUS);
  if (status !== 'blocked' && status !== 'cancelled') return undefined;
  const decision = source.span.events.findLast(
    ({ name, attributes }) =>
      name === semconv.EVENT_HERMES_POLICY_DECISION &&
      attributes?.[semconv.ATTR_HERMES_POLICY_MODE] !== 'observe' &&
      attributes?.[semconv.ATTR_HERMES_POLICY_OUTCOME] !== 'allow',
  )?.attributes;
  const by = decision?.[semconv.ATTR_HERMES_POLICY_GATE] ?? source.text(semconv.ATTR_HERMES_TOOL_BLOCKED_BY);
  const reason = decision?.[semconv.ATTR_HERMES_POLICY_REASON] ?? decision?.[semconv.ATTR_HERMES_POLICY_KIND];
  return withReason(by === undefined ? status : `${status} by ${String(by)}`, reason);
}

function approvalRefusal(source: SourceSpan): string | undefined {
  const choice = source.text(semconv.ATTR_HERMES_APPROVAL_CHOICE);
  if (choice === undefined) return source.get(semconv.ATTR_HERMES_INCOMPLETE) === true ? undefined : 'no answer';
  if (GRANTED.has(choice)) return undefined;
  const by = source.text(semconv.ATTR_HERMES_APPROVAL_DECIDED_BY);
  const what = choice === 'deny' ? 'denied' : choice;
  return choice === 'timeout' || by === undefined ? what : `${what} by ${by}`;
}

function notEnded(source: SourceSpan): string | undefined {
  if (source.get(semconv.ATTR_HERMES_INCOMPLETE) !== true) return undefined;
  return withReason('incomplete', source.text(semconv.ATTR_HERMES_INCOMPLETE_REASON));
}

const withReason = (what: string, reason: unknown) =>
  typeof reason === 'string' && reason !== '' ? `${what}: ${reason}` : what;
