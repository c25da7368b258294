import { type HrTime, millisBetween } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import { formatDuration } from './duration.js';
import { outcomeOf } from './outcome.js';
import { flowParts, type Piece, piece } from './piece.js';
import type { Role } from './role.js';
import { type RowAttributes, type SpanRow, textOf } from './span-row.js';
import type { SurveyedTrace } from './survey.js';
import { timeSpent } from './time-spent.js';

/** Numbers of the traces shown, by trace id. */
export type TraceNumbers = ReadonlyMap<string, number>;

const RELATIONS: ReadonlyMap<string, string> = new Map([
  ['previous_turn', 'after'],
  ['session_turn', 'belongs to'],
  ['parent_session', 'child of'],
  ['caller', 'called from'],
]);

/** The lines above a tree: who, when, with what outcome, at what cost, and where the time went. */
export function headerLines(trace: SurveyedTrace, number: number, numbers: TraceNumbers, width: number): Piece[][] {
  const [root] = trace.tree.roots;
  if (root === undefined) return [];
  const { row } = root;
  const indent = piece('   ');
  const inner = width - indent.width;
  return [
    title(row, trace.roles.get(root) ?? 'other', number),
    ...[[...whereabouts(trace, row, numbers)], trace.totals.parts(), timeParts(trace, row)]
      .flatMap((parts) => flowParts(parts, inner))
      .map((line) => [indent, ...line]),
  ];
}

function title(row: SpanRow, role: Role, number: number): Piece[] {
  const [outcome] = outcomeOf(row, role);
  const name = textOf(row.attributes, semconv.ATTR_GEN_AI_AGENT_NAME) ?? row.name;
  const took = row.end === undefined ? undefined : millisBetween(row.start, row.end);
  const pieces = [piece(`#${number} `, 'dim'), piece(name, 'strong')];
  if (outcome !== undefined) pieces.push(piece(' '), outcome);
  if (took !== undefined && took >= 0) pieces.push(piece(` in ${formatDuration(took)}`));
  pieces.push(piece(`  ${isoTime(row.start)}`, 'dim'));
  return pieces;
}

function isoTime([seconds, nanos]: HrTime): string {
  const date = new Date(seconds * 1000 + Math.floor(nanos / 1e6));
  return Number.isNaN(date.getTime()) ? 'time unknown' : date.toISOString();
}

function* whereabouts(trace: SurveyedTrace, row: SpanRow, numbers: TraceNumbers): Generator<Piece> {
  const { attributes } = row;
  const kind = textOf(attributes, semconv.ATTR_HERMES_TURN_KIND);
  if (kind !== undefined && kind !== 'user') yield piece(kind.replaceAll('_', ' '), 'strong');
  for (const name of [semconv.ATTR_HERMES_PROFILE, semconv.ATTR_HERMES_PLATFORM]) {
    const text = textOf(attributes, name);
    if (text !== undefined) yield piece(text);
  }
  yield* models(trace);
  const session = textOf(attributes, semconv.ATTR_GEN_AI_CONVERSATION_ID);
  if (session !== undefined) yield piece(`session ${session}`);
  if (trace.tree.traceId !== '') yield piece(`trace ${trace.tree.traceId}`, 'dim');
  for (const link of row.links) yield piece(linkText(link.traceId, link.attributes, numbers), 'dim');
  if (row.parentSpanId !== undefined) yield piece(`called by span ${row.parentSpanId}`, 'dim');
}

/** The models that answered, in the order of their first request. */
function* models({ tree, roles }: SurveyedTrace): Generator<Piece> {
  const names = new Set<string>();
  for (const node of tree.nodes) {
    const role = roles.get(node);
    if (role !== 'chat' && role !== 'turn') continue;
    const model = textOf(node.row.attributes, semconv.ATTR_GEN_AI_REQUEST_MODEL);
    if (model !== undefined) names.add(model);
  }
  const shown = [...names].slice(0, 4);
  if (names.size > shown.length) shown.push(`${names.size - shown.length} more models`);
  if (shown.length > 0) yield piece(shown.join(', '));
}

function linkText(traceId: string, attributes: RowAttributes, numbers: TraceNumbers): string {
  const relation = textOf(attributes, semconv.ATTR_HERMES_LINK) ?? '';
  const number = numbers.get(traceId);
  return `${RELATIONS.get(relation) ?? 'linked to'} ${number === undefined ? `trace ${traceId.slice(0, 8)}…` : `#${number}`}`;
}

/** By whose the time was, in the order they are told. */
const SAID = [
  ['model', 'model'],
  ['tools', 'tools'],
  ['human', 'person'],
  ['children', 'child agents'],
  ['waiting', 'back-off'],
  ['agent', 'agent'],
] as const;

function timeParts({ tree, roles, start, first, last }: SurveyedTrace, row: SpanRow): Piece[] {
  if (row.end === undefined) return [];
  // Of a trace that is no agent's, nobody knows who was at work.
  if (tree.nodes.every((node) => roles.get(node) === 'other')) return [];
  const { total, parts, inChildren } = timeSpent(tree, first, last);
  if (total === 0) return [];
  const said = SAID.filter(([name]) => parts[name] > 0).map(([name, word], i) => {
    const share = Math.round((parts[name] / total) * 100);
    const by = name === 'children' ? ` (${spentOn(inChildren)})` : '';
    return piece(
      `${i === 0 ? 'time: ' : ''}${word} ${formatDuration(parts[name])} ${share === 0 ? '<1' : share}%${by}`,
    );
  });
  if (millisBetween(row.end, last) > 0)
    said.push(piece(`went on until +${formatDuration(millisBetween(start, last))}`, 'warn'));
  return said;
}

const spentOn = (parts: ReturnType<typeof timeSpent>['inChildren']) =>
  SAID.filter(([name]) => parts[name] > 0)
    .map(([name, word]) => `${word} ${formatDuration(parts[name])}`)
    .join(', ');
