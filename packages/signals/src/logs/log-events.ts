import {
  EVENT_GEN_AI_EVALUATION_RESULT,
  EVENT_GEN_AI_EXECUTE_TOOL_EXCEPTION,
  EVENT_GEN_AI_INFERENCE_DETAILS,
  EVENT_GEN_AI_INFERENCE_EXCEPTION,
  EVENT_HERMES_API_ATTEMPT_FAILED,
  EVENT_HERMES_APPROVAL,
  EVENT_HERMES_INVOKE_AGENT_EXCEPTION,
  EVENT_HERMES_POLICY_DECISION,
} from '../semconv.js';
export interface LogEventRow {
  readonly severity: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  /** The span whose trace context it has. */
  readonly span: string;
  readonly source: 'semconv' | 'hermes';
  readonly description: string;
}

/** Every log record by its event name, in the order of `docs/metrics-and-logs.md`, whose table is made of this. */
export const LOG_EVENTS = {
  [EVENT_GEN_AI_INFERENCE_DETAILS]: {
    severity: 'DEBUG',
    span: 'chat',
    source: 'semconv',
    description: 'A model request: what its span says, messages as values instead of JSON texts.',
  },
  [EVENT_GEN_AI_INFERENCE_EXCEPTION]: {
    severity: 'WARN',
    span: 'chat',
    source: 'semconv',
    description: 'A model request failed for good.',
  },
  [EVENT_HERMES_API_ATTEMPT_FAILED]: {
    severity: 'WARN',
    span: 'chat',
    source: 'hermes',
    description: 'One attempt of a model request failed, at the time it did.',
  },
  [EVENT_GEN_AI_EXECUTE_TOOL_EXCEPTION]: {
    severity: 'WARN',
    span: 'execute_tool',
    source: 'semconv',
    description: 'A tool call ended with an error or timeout. One that was blocked or cancelled has none.',
  },
  [EVENT_HERMES_INVOKE_AGENT_EXCEPTION]: {
    severity: 'ERROR',
    span: 'invoke_agent',
    source: 'hermes',
    description: 'A turn or child agent failed.',
  },
  [EVENT_HERMES_APPROVAL]: {
    severity: 'INFO',
    span: 'approval',
    source: 'hermes',
    description: 'Somebody was asked, and answered or did not; WARN where the call may not run.',
  },
  [EVENT_HERMES_POLICY_DECISION]: {
    severity: 'INFO',
    span: 'execute_tool',
    source: 'hermes',
    description: 'A policy gate decided about a call, at the time it did.',
  },
  [EVENT_GEN_AI_EVALUATION_RESULT]: {
    severity: 'INFO',
    span: 'the one that was judged',
    source: 'semconv',
    description: 'Somebody judged a turn, a request or a call: an `observer_evaluation` record.',
  },
} as const satisfies Readonly<Record<string, LogEventRow>>;

export type LogEvent = keyof typeof LOG_EVENTS;
