import { type HrTime, millisBetween } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import type { Role } from './role.js';
import { numberOf, type SpanRow, textOf } from './span-row.js';

/** Where the time of a trace went, in milliseconds; the four add up to its length. */
export interface TimeSpent {
  readonly total: number;
  /** Somebody was asked and had not answered. */
  readonly person: number;
  /** A model was at work, and nobody was waited for. */
  readonly model: number;
  /** A tool ran, and none of the above. */
  readonly tool: number;
  /** Nothing of these: the agent itself. */
  readonly agent: number;
}

/** A role's claim on a moment; lower comes first, so that no moment counts twice however spans nest or overlap. */
const KINDS = ['person', 'model', 'tool'] as const;

interface Edge {
  readonly at: number;
  readonly kind: number;
  readonly by: 1 | -1;
}

/** Splits the time from `from` to `to` among `spans`; what lies outside is left out. */
export function timeSpent(spans: Iterable<readonly [SpanRow, Role]>, from: HrTime, to: HrTime): TimeSpent {
  const total = Math.max(0, millisBetween(from, to));
  const edges: Edge[] = [];
  for (const [row, role] of spans) {
    const kind = kindOf(row, role);
    if (kind === undefined) continue;
    const began = millisBetween(from, row.start);
    const ended = row.end === undefined ? total : millisBetween(from, row.end);
    for (const [first, last] of role === 'chat' ? attemptsOf(row, began, ended, from) : [[began, ended] as const]) {
      const start = Math.max(0, first);
      const end = Math.min(total, last);
      if (end > start) edges.push({ at: start, kind, by: 1 }, { at: end, kind, by: -1 });
    }
  }
  edges.sort((a, b) => a.at - b.at);
  const open = [0, 0, 0];
  const spent = [0, 0, 0, 0];
  let last = 0;
  for (const { at, kind, by } of edges) {
    const busy = open.findIndex((count) => count > 0);
    const place = busy === -1 ? KINDS.length : busy;
    spent[place] = (spent[place] ?? 0) + at - last;
    last = at;
    open[kind] = (open[kind] ?? 0) + by;
  }
  const [person = 0, model = 0, tool = 0] = spent;
  return { total, person, model, tool, agent: Math.max(0, total - person - model - tool) };
}

/**
 * When the model was at work on a request: its attempts, without the waits between them. The whole request where the
 * span does not tell one attempt from the other.
 */
function attemptsOf(row: SpanRow, began: number, ended: number, from: HrTime): (readonly [number, number])[] {
  const attempts = numberOf(row.attributes, semconv.ATTR_HERMES_API_ATTEMPTS) ?? 1;
  const spans: (readonly [number, number])[] = [];
  for (const { name, time, attributes } of row.events) {
    if (name !== semconv.EVENT_HERMES_API_ATTEMPT_FAILED) continue;
    const millis = numberOf(attributes, semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS);
    const end = millisBetween(from, time);
    if (millis !== undefined) spans.push([end - millis, end]);
  }
  const last = numberOf(row.attributes, semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS);
  if (last !== undefined) spans.push([ended - last, ended]);
  return attempts > 1 && spans.length === attempts ? spans : [[began, ended]];
}

function kindOf({ attributes }: SpanRow, role: Role): number | undefined {
  switch (role) {
    case 'chat':
      return KINDS.indexOf('model');
    case 'tool':
      return KINDS.indexOf('tool');
    case 'human_input':
      return KINDS.indexOf('person');
    case 'approval':
      return isDecidedByModel(attributes) ? undefined : KINDS.indexOf('person');
    default:
      return undefined;
  }
}

/** Its request to the model is a span of its own. */
function isDecidedByModel(attributes: SpanRow['attributes']): boolean {
  return (
    textOf(attributes, semconv.ATTR_HERMES_APPROVAL_DECIDED_BY) !== undefined ||
    textOf(attributes, semconv.ATTR_HERMES_APPROVAL_SURFACE) === 'smart'
  );
}
