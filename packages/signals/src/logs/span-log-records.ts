import { shallow } from '@hermes-observer/core';
import type { ReadableSpan } from '@hermes-observer/otel';
import { semconv, withSafeFields } from '@hermes-observer/otel';
import { type Attributes, type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import {
  ATTR_EXCEPTION_TYPE,
  ATTR_HERMES_COST_STATUS,
  ATTR_HERMES_COST_USD,
  EVENT_GEN_AI_EXECUTE_TOOL_EXCEPTION,
  EVENT_GEN_AI_INFERENCE_DETAILS,
  EVENT_GEN_AI_INFERENCE_EXCEPTION,
  EVENT_HERMES_API_ATTEMPT_FAILED,
  EVENT_HERMES_APPROVAL,
  EVENT_HERMES_INVOKE_AGENT_EXCEPTION,
  EVENT_HERMES_POLICY_DECISION,
} from '../semconv.js';
import { kindOf } from '../span-kind.js';
import type { LogEvent } from './log-events.js';
import { type LogRecord, type LogValue, logRecord, pick } from './log-record.js';

/** What every record says of where it belongs. */
const COMMON = [semconv.ATTR_GEN_AI_CONVERSATION_ID, semconv.ATTR_HERMES_TURN_ID];

const INFERENCE = [
  ...COMMON,
  semconv.ATTR_GEN_AI_OPERATION_NAME,
  semconv.ATTR_GEN_AI_PROVIDER_NAME,
  semconv.ATTR_GEN_AI_REQUEST_MODEL,
  semconv.ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  semconv.ATTR_GEN_AI_RESPONSE_MODEL,
  semconv.ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  semconv.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK,
  semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  semconv.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  semconv.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
  semconv.ATTR_SERVER_ADDRESS,
  semconv.ATTR_SERVER_PORT,
  semconv.ATTR_ERROR_TYPE,
  semconv.ATTR_HERMES_AUX_TASK,
  ATTR_HERMES_COST_USD,
  ATTR_HERMES_COST_STATUS,
];

/** On spans JSON texts; in records the values they are. */
const MESSAGES = [
  semconv.ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  semconv.ATTR_GEN_AI_INPUT_MESSAGES,
  semconv.ATTR_GEN_AI_OUTPUT_MESSAGES,
];

const APPROVAL = [
  ...COMMON,
  semconv.ATTR_HERMES_APPROVAL_SURFACE,
  semconv.ATTR_HERMES_APPROVAL_PATTERN_KEY,
  semconv.ATTR_HERMES_APPROVAL_CHOICE,
  semconv.ATTR_HERMES_APPROVAL_DECIDED_BY,
  semconv.ATTR_HERMES_APPROVAL_REQUEST_ID,
  semconv.ATTR_HERMES_APPROVAL_REQUEST_DIGEST,
  semconv.ATTR_HERMES_APPROVAL_DECISION_ID,
  semconv.ATTR_HERMES_APPROVAL_APPROVER_REF,
  semconv.ATTR_HERMES_APPROVAL_COMMAND,
  semconv.ATTR_HERMES_APPROVAL_DESCRIPTION,
  semconv.ATTR_HERMES_INCOMPLETE,
  semconv.ATTR_HERMES_INCOMPLETE_REASON,
];

const TOOL = [...COMMON, semconv.ATTR_GEN_AI_TOOL_NAME, semconv.ATTR_GEN_AI_TOOL_CALL_ID];
const AGENT = [...COMMON, semconv.ATTR_GEN_AI_AGENT_NAME];

/** Answers that let a call run, or pass the question on. */
const GRANTED: ReadonlySet<unknown> = new Set(['once', 'session', 'always', 'smart_approve', 'escalated']);

/** The log records of one ended span: what it has of content, they have. */
export function logRecordsOf(ended: ReadableSpan): LogRecord[] {
  const span = withSafeFields(ended);
  const context = trace.setSpanContext(ROOT_CONTEXT, span.spanContext());
  switch (kindOf(span)) {
    case 'chat':
      return [
        ...eventRecords(span, EVENT_HERMES_API_ATTEMPT_FAILED, INFERENCE.slice(0, 5), context),
        logRecord(EVENT_GEN_AI_INFERENCE_DETAILS, span.endTime, detailsOf(span.attributes), context),
        ...exceptionRecords(span, EVENT_GEN_AI_INFERENCE_EXCEPTION, INFERENCE.slice(0, 5), context),
      ];
    case 'tool':
      return [
        ...eventRecords(span, EVENT_HERMES_POLICY_DECISION, TOOL, context),
        ...exceptionRecords(span, EVENT_GEN_AI_EXECUTE_TOOL_EXCEPTION, TOOL, context),
      ];
    case 'agent':
      return exceptionRecords(span, EVENT_HERMES_INVOKE_AGENT_EXCEPTION, AGENT, context);
    case 'approval': {
      const isGranted = GRANTED.has(span.attributes[semconv.ATTR_HERMES_APPROVAL_CHOICE]);
      const severity = isGranted ? 'INFO' : 'WARN';
      return [logRecord(EVENT_HERMES_APPROVAL, span.endTime, pick(span.attributes, APPROVAL), context, severity)];
    }
    default:
      return [];
  }
}

function detailsOf(attributes: Attributes): Record<string, LogValue> {
  const details = pick(attributes, INFERENCE);
  for (const name of MESSAGES) {
    const text = attributes[name];
    if (text !== undefined) details[name] = parsed(text as LogValue);
  }
  return details;
}

/** A JSON text as what it says; a text that is none, since it was cut, as it is. */
function parsed(text: LogValue): LogValue {
  if (typeof text !== 'string') return text;
  try {
    return shallow(JSON.parse(text, readable)) as LogValue;
  } catch {
    return text;
  }
}

/** A whole number beyond 2^53 is a text: receivers of OTLP/JSON refuse the request that it is in. */
const readable = (_: string, value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : value;

/** A failed span, by what its `error.type` and the exception that was recorded on it say. */
function exceptionRecords(
  span: ReadableSpan,
  eventName: LogEvent,
  names: readonly string[],
  context: Context,
): LogRecord[] {
  const type = span.attributes[semconv.ATTR_ERROR_TYPE];
  if (type === undefined) return [];
  const recorded = span.events.findLast(({ name }) => name === 'exception')?.attributes ?? {};
  const message = recorded[semconv.ATTR_EXCEPTION_MESSAGE] ?? span.status.message;
  const attributes: Record<string, LogValue> = {
    ...pick(span.attributes, [...names, semconv.ATTR_HTTP_RESPONSE_STATUS_CODE]),
    [ATTR_EXCEPTION_TYPE]: (recorded[ATTR_EXCEPTION_TYPE] ?? type) as LogValue,
  };
  if (message !== undefined && message !== '') attributes[semconv.ATTR_EXCEPTION_MESSAGE] = message as LogValue;
  const stack = recorded[semconv.ATTR_EXCEPTION_STACKTRACE];
  if (stack !== undefined) attributes[semconv.ATTR_EXCEPTION_STACKTRACE] = stack as LogValue;
  return [logRecord(eventName, span.endTime, attributes, context)];
}

/** One for each event of a name, at its time. */
function eventRecords(span: ReadableSpan, name: LogEvent, names: readonly string[], context: Context): LogRecord[] {
  return span.events
    .filter((event) => event.name === name)
    .map((event) => {
      const attributes = { ...pick(span.attributes, names), ...(event.attributes as Record<string, LogValue>) };
      return logRecord(name, event.time, attributes, context);
    });
}
