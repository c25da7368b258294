import { minusMillis } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import { type Piece, piece } from './piece.js';
import { numberOf, type RowEvent, type SpanRow, textOf } from './span-row.js';

/** A line below a span: what happened in it. */
export interface Note {
  readonly pieces: readonly Piece[];
  readonly start?: RowEvent['time'];
  readonly millis?: number;
}

/**
 * Failed attempts and policy decisions of a span, in order. A request's only attempt says no more than the request.
 * Messages of failures are content.
 */
export function notesOf({ events, attributes }: SpanRow, content: boolean): Note[] {
  const notes: Note[] = [];
  const retried = (numberOf(attributes, semconv.ATTR_HERMES_API_ATTEMPTS) ?? 1) > 1;
  for (const event of events) {
    if (event.name === semconv.EVENT_HERMES_API_ATTEMPT_FAILED) {
      if (retried) notes.push(attemptNote(event, content));
    } else if (event.name === semconv.EVENT_HERMES_POLICY_DECISION) notes.push(decisionNote(event));
  }
  return notes;
}

function attemptNote({ attributes, time }: RowEvent, content: boolean): Note {
  const attempt = numberOf(attributes, semconv.ATTR_HERMES_API_ATTEMPT) ?? '?';
  const type = textOf(attributes, semconv.ATTR_ERROR_TYPE) ?? '';
  const code = numberOf(attributes, semconv.ATTR_HTTP_RESPONSE_STATUS_CODE) ?? '';
  const why = textOf(attributes, semconv.ATTR_HERMES_RETRY_REASON);
  const pieces = [piece(`attempt ${attempt} failed`, 'warn'), piece(`: ${type} ${code}`.trimEnd())];
  if (why !== undefined) pieces.push(piece(` (${why})`, 'dim'));
  const message = content ? textOf(attributes, semconv.ATTR_EXCEPTION_MESSAGE) : undefined;
  if (message !== undefined) pieces.push(piece(` ${message}`));
  return timed(pieces, time, numberOf(attributes, semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS));
}

function decisionNote({ attributes, time }: RowEvent): Note {
  const gate = textOf(attributes, semconv.ATTR_HERMES_POLICY_GATE) ?? '';
  const outcome = textOf(attributes, semconv.ATTR_HERMES_POLICY_OUTCOME) ?? 'unknown';
  const kind = textOf(attributes, semconv.ATTR_HERMES_POLICY_KIND);
  const pieces = [piece(`policy ${gate}`.trimEnd()), piece(`: ${outcome}`, outcome === 'allow' ? 'good' : 'warn')];
  if (kind !== undefined) pieces.push(piece(` (${kind})`, 'dim'));
  return timed(pieces, time, numberOf(attributes, semconv.ATTR_HERMES_POLICY_DURATION_MS));
}

/** The event stands at the end of what it tells of. */
function timed(pieces: readonly Piece[], time: RowEvent['time'], millis: number | undefined): Note {
  return millis === undefined ? { pieces, start: time } : { pieces, start: minusMillis(time, millis), millis };
}
