import { type HookMeta, type Hub, type Payload, redactText } from '@hermes-observer/core';
import { type Capture, semconv } from '@hermes-observer/otel';
import { type Context, type HrTime, isValidSpanId, isValidTraceId, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { SIGNALS_SCOPE_NAME, SIGNALS_SCOPE_VERSION } from '../scope.js';
import {
  ATTR_GEN_AI_EVALUATION_EXPLANATION,
  ATTR_GEN_AI_EVALUATION_NAME,
  ATTR_GEN_AI_EVALUATION_SCORE_LABEL,
  ATTR_GEN_AI_EVALUATION_SCORE_VALUE,
  ATTR_GEN_AI_RESPONSE_ID,
  EVENT_GEN_AI_EVALUATION_RESULT,
} from '../semconv.js';
import { derivedContext, type JudgedIds } from './derived-context.js';
import { type LoggerProvider, type LogRecord, type LogValue, logRecord } from './log-record.js';

export const EVALUATION_HOOK = 'observer_evaluation';

export interface EvaluationOptions {
  /** Where the records go. */
  readonly loggerProvider: LoggerProvider;
  /** The context of a span that is known, such as `observer.contextOf`. @default none is known; ids are derived */
  readonly contextOf?: ((ids: JudgedIds) => Context | undefined) | undefined;
  /** Explanations are content. @default 'none' */
  readonly capture?: Capture | undefined;
  /** Takes secrets out of the texts of a record, whatever `capture` says. @default nothing is taken out */
  readonly redact?: ((text: string) => string) | undefined;
}

/** Makes log records of the judgements that a hub hears. Returns what ends it. */
export function recordEvaluations(hub: Pick<Hub, 'on'>, options: EvaluationOptions): () => void {
  const logger = options.loggerProvider.getLogger(SIGNALS_SCOPE_NAME, SIGNALS_SCOPE_VERSION);
  const listener = (payload: Payload, { time }: HookMeta) => logger.emit(evaluationRecord(payload, time, options));
  return hub.on(EVALUATION_HOOK, listener, { name: 'evaluations' });
}

/** The log record of one judgement, which belongs to the span that it names. */
export function evaluationRecord(
  payload: Payload,
  time: HrTime,
  { contextOf, capture = 'none', redact = (text) => text }: Omit<EvaluationOptions, 'loggerProvider'>,
): LogRecord {
  const attributes: Record<string, LogValue> = {};
  const set = (name: string, value: LogValue) => {
    if (value !== undefined) attributes[name] = typeof value === 'string' ? redact(value) : value;
  };
  set(semconv.ATTR_GEN_AI_CONVERSATION_ID, idOf(payload.session_id));
  set(semconv.ATTR_HERMES_TURN_ID, idOf(payload.turn_id));
  set(ATTR_GEN_AI_EVALUATION_NAME, labelOf(payload.name, capture));
  const { score } = payload;
  if (typeof score === 'number' && Number.isFinite(score)) set(ATTR_GEN_AI_EVALUATION_SCORE_VALUE, score);
  set(ATTR_GEN_AI_EVALUATION_SCORE_LABEL, labelOf(payload.label, capture));
  set(ATTR_GEN_AI_RESPONSE_ID, idOf(payload.response_id));
  set(semconv.ATTR_ERROR_TYPE, labelOf(payload.error_type, capture));
  if (capture !== 'none') set(ATTR_GEN_AI_EVALUATION_EXPLANATION, explanationOf(payload.explanation, capture));
  return logRecord(EVENT_GEN_AI_EVALUATION_RESULT, time, attributes, judgedContext(payload, contextOf));
}

function judgedContext(payload: Payload, contextOf: EvaluationOptions['contextOf']): Context {
  const [traceId, spanId] = [text(payload.trace_id)?.toLowerCase(), text(payload.span_id)?.toLowerCase()];
  if (traceId !== undefined && spanId !== undefined && isValidTraceId(traceId) && isValidSpanId(spanId)) {
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: SAMPLED, isRemote: true });
  }
  const turnId = text(payload.turn_id);
  if (turnId === undefined) return ROOT_CONTEXT;
  const ids = { turnId, toolCallId: text(payload.tool_call_id), requestId: text(payload.api_request_id) };
  const known = contextOf?.(ids);
  if (known !== undefined) return known;
  const derived = derivedContext(ids);
  return derived === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, derived);
}

const SAMPLED = 1;
const LONGEST_LABEL = 128;
const LONGEST_ID = 1_024;
const LONGEST_EXPLANATION = 65_536;
/** A name of one line, without what code and data are made of. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}"`{}[\]\\]{1,128}$/u;

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const idOf = (value: unknown) => {
  const id = text(value)?.slice(0, LONGEST_ID);
  return id === undefined ? undefined : redactText(id);
};

/** A name or word: with content off one that hides nothing, else without secrets. */
function labelOf(value: unknown, capture: Capture): string | undefined {
  const label = text(value);
  if (label === undefined || capture === 'full') return label?.slice(0, LONGEST_LABEL);
  const clean = redactText(label.slice(0, LONGEST_LABEL));
  if (capture === 'redacted') return clean;
  return NAME.test(label) && clean === label ? label : '_OTHER';
}

function explanationOf(value: unknown, capture: Capture): string | undefined {
  const explanation = text(value)?.slice(0, LONGEST_EXPLANATION);
  return explanation === undefined || capture === 'full' ? explanation : redactText(explanation);
}
