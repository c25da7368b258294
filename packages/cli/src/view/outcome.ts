import { semconv } from '@hermes-observer/otel';
import { whoOf } from '../traces/span-facts.js';
import { SPAN_KIND } from '../traces/span-kind.js';
import { CostSum } from './cost.js';
import { type Piece, piece } from './piece.js';
import type { Role } from './role.js';
import { numberOf, type SpanRow, textOf } from './span-row.js';
import { lacksUsage, usageOf, usageParts } from './usage.js';

/** Finish reasons that say only that the model was done, or wants its tools. */
const USUAL_FINISH = new Set(['stop', 'tool_calls', 'end_turn', 'tool_use']);
/** Choices and outcomes by which a person, or who stands in for one, let the agent go on. */
const GRANTED = new Set(['once', 'session', 'always', 'smart_approve', 'submitted', 'answered', 'approved']);

/** How a span ended and what else is worth a word, the most important first. `approval` is the one below a tool. */
export function outcomeOf(row: SpanRow, role: Role, approval?: SpanRow): Piece[] {
  const { attributes } = row;
  const parts = [...faultOf(row, role)];
  switch (role) {
    case 'turn':
      if (parts.length === 0) parts.push(...turnOutcome(row));
      break;
    case 'child':
      if (parts.length === 0) parts.push(...childOutcome(row));
      break;
    case 'chat':
      parts.push(...chatOutcome(row));
      break;
    case 'tool':
      if (parts.length === 0) parts.push(toolOutcome(row, approval));
      break;
    case 'approval':
      parts.push(...approvalOutcome(row, parts.length === 0));
      break;
    case 'human_input': {
      const outcome = textOf(attributes, semconv.ATTR_HERMES_HUMAN_INPUT_OUTCOME);
      if (outcome !== undefined) parts.push(answer(outcome));
      break;
    }
    case 'other':
      break;
  }
  if (attributes[semconv.ATTR_HERMES_START_MISSING] === true) parts.push(piece('start not seen', 'warn'));
  if (attributes[semconv.ATTR_HERMES_EXPORT_CUT] === true) parts.push(piece('attributes cut', 'dim'));
  return parts;
}

/** What went wrong, or was left open, on a span of any kind. */
function faultOf({ attributes, failed, end }: SpanRow, role: Role): Piece[] {
  const parts: Piece[] = [];
  if (failed) {
    const type = textOf(attributes, semconv.ATTR_ERROR_TYPE) ?? '';
    const code = numberOf(attributes, semconv.ATTR_HTTP_RESPONSE_STATUS_CODE);
    const timedOut = role === 'tool' && textOf(attributes, semconv.ATTR_HERMES_TOOL_STATUS) === 'timeout';
    const what = timedOut && type === '' ? 'timeout' : type;
    parts.push(piece(['ERROR', what, code ?? ''].filter((word) => word !== '').join(' '), 'bad'));
  }
  if (attributes[semconv.ATTR_HERMES_INCOMPLETE] === true) {
    const reason = textOf(attributes, semconv.ATTR_HERMES_INCOMPLETE_REASON);
    parts.push(piece(reason === undefined ? 'incomplete' : `incomplete (${reason})`, 'warn'));
  } else if (end === undefined) parts.push(piece('not ended', 'warn'));
  return parts;
}

function turnOutcome({ attributes }: SpanRow): Piece[] {
  const outcome = textOf(attributes, semconv.ATTR_HERMES_TURN_OUTCOME);
  if (outcome === undefined) return [];
  if (outcome === 'completed') return [piece(outcome, 'good')];
  const reason = textOf(attributes, semconv.ATTR_HERMES_TURN_EXIT_REASON);
  return reason === undefined ? [piece(outcome, 'warn')] : [piece(outcome, 'warn'), piece(withoutFreeText(reason))];
}

/** An exit reason's parentheses hold a word or free text; the latter is content. */
function withoutFreeText(reason: string): string {
  const open = reason.indexOf('(');
  return open === -1 || /^\([\w=/]{1,64}\)$/.test(reason.slice(open)) ? reason : reason.slice(0, open).trimEnd();
}

function childOutcome({ attributes }: SpanRow): Piece[] {
  const status = textOf(attributes, semconv.ATTR_HERMES_SUBAGENT_STATUS);
  return status === undefined ? [] : [piece(status, status === 'completed' ? 'good' : 'warn')];
}

function chatOutcome(row: SpanRow): Piece[] {
  const { attributes } = row;
  const parts: Piece[] = [];
  const finish = unusualFinish(attributes[semconv.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]);
  if (finish !== undefined) parts.push(piece(`finish ${finish}`, 'warn'));
  const attempts = numberOf(attributes, semconv.ATTR_HERMES_API_ATTEMPTS) ?? 1;
  if (attempts > 1) parts.push(piece(`${attempts} attempts`, 'warn'));
  const usage = usageOf(attributes);
  if (usage !== undefined) parts.push(...usageParts(usage));
  else if (lacksUsage(row)) parts.push(piece('tokens not reported', 'dim'));
  const cost = new CostSum();
  cost.add(attributes);
  // That it is not known is told once, in the head.
  if (cost.unknown === 0) parts.push(...cost.parts());
  return parts;
}

function unusualFinish(reasons: unknown): string | undefined {
  const list = Array.isArray(reasons) ? reasons : [];
  const unusual = list.filter((reason) => typeof reason === 'string' && !USUAL_FINISH.has(reason));
  return unusual.length === 0 ? undefined : unusual.join(', ');
}

function toolOutcome(row: SpanRow, approval: SpanRow | undefined): Piece {
  const status = textOf(row.attributes, semconv.ATTR_HERMES_TOOL_STATUS) ?? 'ok';
  if (status === 'ok') return piece(status, 'good');
  const who = status === 'blocked' ? whoOf(row, SPAN_KIND.tool, approval) : undefined;
  return piece(who === undefined ? status : `${status} by ${who}`, 'warn');
}

function approvalOutcome(row: SpanRow, sound: boolean): Piece[] {
  const { attributes } = row;
  const parts: Piece[] = [];
  const choice = textOf(attributes, semconv.ATTR_HERMES_APPROVAL_CHOICE);
  // Nobody said that.
  const who = choice === 'timeout' ? undefined : whoOf(row, SPAN_KIND.approval);
  if (choice !== undefined) parts.push(answer(who === undefined ? choice : `${choice} by ${who}`, choice));
  else if (sound) parts.push(piece('no answer', 'warn'));
  const pattern = textOf(attributes, semconv.ATTR_HERMES_APPROVAL_PATTERN_KEY);
  if (pattern !== undefined) parts.push(piece(pattern));
  const surface = textOf(attributes, semconv.ATTR_HERMES_APPROVAL_SURFACE);
  if (surface !== undefined) parts.push(piece(`asked on ${surface}`, 'dim'));
  return parts;
}

const answer = (text: string, choice = text) => piece(text, GRANTED.has(choice) ? 'good' : 'warn');
