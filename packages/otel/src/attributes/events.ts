import type { Payload } from '@hermes-observer/core';
import type { Attributes } from '@opentelemetry/api';
import type { AttemptFailure } from '../assembly/span-sink.js';
import type { Capture } from './capture.js';
import { contentText } from './content-text.js';
import { idLabel } from './id-label.js';
import { nameLabel, phraseLabel, typeLabel, wordLabel } from './labels.js';
import * as semconv from './semconv.js';
import { setAmount, setCount, setLabel } from './values.js';

/** Attributes of the event of one failed attempt. */
export function attemptAttributes(failure: AttemptFailure, capture: Capture): Attributes {
  const attributes: Attributes = {
    [semconv.ATTR_HERMES_API_ATTEMPT]: failure.attempt,
    [semconv.ATTR_ERROR_TYPE]: typeLabel(failure.type, capture),
  };
  setCount(attributes, semconv.ATTR_HTTP_RESPONSE_STATUS_CODE, failure.statusCode);
  const { retryReason } = failure;
  if (retryReason !== undefined) attributes[semconv.ATTR_HERMES_RETRY_REASON] = typeLabel(retryReason, capture);
  setAmount(attributes, semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS, failure.durationMillis);
  const message = contentText(failure.message, capture);
  if (message !== undefined) attributes[semconv.ATTR_EXCEPTION_MESSAGE] = message;
  return attributes;
}

/** Attributes of the event of one policy gate's decision. */
export function policyAttributes(payload: Payload, capture: Capture): Attributes {
  const attributes: Attributes = {};
  setLabel(attributes, semconv.ATTR_HERMES_POLICY_GATE, phraseLabel(payload.gate, capture));
  setLabel(attributes, semconv.ATTR_HERMES_POLICY_OUTCOME, wordLabel(payload.outcome, capture));
  setLabel(attributes, semconv.ATTR_HERMES_POLICY_KIND, wordLabel(payload.kind, capture));
  setLabel(attributes, semconv.ATTR_HERMES_POLICY_MODE, wordLabel(payload.mode, capture));
  setLabel(attributes, semconv.ATTR_HERMES_POLICY_ON_ERROR, wordLabel(payload.on_error, capture));
  setLabel(attributes, semconv.ATTR_HERMES_POLICY_VERSION, nameLabel(payload.version, capture));
  if (payload.evaluation === true) attributes[semconv.ATTR_HERMES_POLICY_EVALUATION] = true;
  setAmount(attributes, semconv.ATTR_HERMES_POLICY_DURATION_MS, payload.duration_ms);
  setLabel(attributes, semconv.ATTR_HERMES_POLICY_DECISION_ID, idLabel(payload.decision_id, capture));
  setLabel(attributes, semconv.ATTR_HERMES_POLICY_REASON, contentText(payload.reason, capture));
  if (Array.isArray(payload.side_effects)) {
    const effects = payload.side_effects.slice(0, 32).map((effect) => contentText(effect, capture));
    const kept = effects.filter((effect) => effect !== undefined);
    if (kept.length > 0) attributes[semconv.ATTR_HERMES_POLICY_SIDE_EFFECTS] = kept;
  }
  return attributes;
}
