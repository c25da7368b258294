import type { SpanDetail } from '../traces/span-detail.js';
import { FLAG } from '../traces/span-facts.js';
import type { SpanAttributes } from '../traces/span-source.js';
import type { Tone } from '../view/palette.js';
import { piece } from '../view/piece.js';
import { asText, CONVERSATION, conversationOf, jsonIn } from './conversation.js';
import { EMPTY_LINE, line, type ScreenLine } from './screen-line.js';
import { ownPath } from './span-bar.js';
import { kindWord, stateOf } from './span-state.js';
import type { SpanState, TurnState } from './state.js';
import { momentText, tookText } from './time-text.js';
import { wrap } from './wrap.js';

/** Lines of one text, folded and in full; what a model is told each time is the least of it. */
const SHORT = 12;
const SHORT_SYSTEM = 3;
const LONG = 5_000;
const MOST_LINES = 50_000;
const INDENT = '  ';

/** What is known of a span, as lines to scroll through. */
export function spanLines(turn: TurnState, span: SpanState, columns: number): readonly ScreenLine[] {
  const { detail } = span;
  if (detail === undefined) return [line(piece(span.fault ?? 'reading ...'))];
  const known = kept.get(detail);
  const version = turn.model?.version;
  if (known?.columns === columns && known.isLong === span.isLong && known.version === version) return known.lines;
  const lines = new Lines(columns, span.isLong ? LONG : SHORT);
  addSummary(lines, turn, detail);
  addSaid(lines, detail, span.isLong);
  addAttributes(lines, 'attributes', detail.attributes, CONVERSATION);
  addEvents(lines, detail);
  addLinks(lines, detail);
  addAttributes(lines, 'resource', detail.resource);
  lines.head('scope');
  lines.text(`${detail.scope.name} ${detail.scope.version ?? ''}`);
  if (detail.truncated) lines.text('some of it was too long, and is cut here', 'strong');
  kept.set(detail, { columns, isLong: span.isLong, version, lines: lines.list });
  return lines.list;
}

/** Each frame asks for the same again. */
const kept = new WeakMap<
  SpanDetail,
  {
    readonly columns: number;
    readonly isLong: boolean;
    readonly version: number | undefined;
    readonly lines: readonly ScreenLine[];
  }
>();

class Lines {
  readonly list: ScreenLine[] = [];
  readonly #columns: number;
  readonly #most: number;

  constructor(columns: number, most: number) {
    this.#columns = columns;
    this.#most = most;
  }

  head(text: string): void {
    if (this.list.length > 0) this.list.push(EMPTY_LINE);
    this.list.push(line(piece(text, 'strong')));
  }

  /** A text over as many lines as it needs, its name before the first one. */
  text(text: string, tone: Tone = 'plain', name = '', most = this.#most): void {
    if (this.list.length > MOST_LINES) return;
    const label = name === '' ? [] : [piece(`${INDENT}${name}: `, 'dim')];
    const width = this.#columns - INDENT.length * 2;
    // Short ones stand behind their name.
    if (label.length > 0 && !text.includes('\n') && text.length + (label[0]?.width ?? 0) <= this.#columns) {
      this.list.push(line(...label, piece(text, tone)));
      return;
    }
    if (label.length > 0) this.list.push(line(...label));
    const { lines, isCut } = wrap(text, width, Math.min(most, this.#most));
    for (const part of lines) this.list.push(line(piece(INDENT + (name === '' ? '' : INDENT)), piece(part, tone)));
    if (isCut) this.list.push(line(piece(`${INDENT}${INDENT}... f shows more`, 'dim')));
  }

  add(added: ScreenLine): void {
    this.list.push(added);
  }
}

function addSummary(lines: Lines, { model }: TurnState, { id, parent, start, end, status }: SpanDetail): void {
  const span = model?.indexOf(id);
  if (model !== undefined && span !== undefined) {
    lines.add(line(piece(INDENT), piece(kindWord(model.spans.kind[span])), piece('  '), ...stateOf(model, span)));
    const [who, label] = [model.who(span), model.label(span)];
    if (who !== undefined) lines.text(who, 'strong', 'by');
    const isBlocked = ((model.spans.flags[span] ?? 0) & FLAG.blocked) !== 0;
    if (label !== undefined && isBlocked) lines.text(label, 'plain', 'why');
    const own = ownPath(model, span, 0);
    if (own > 0) lines.text(tookText(own), 'plain', 'held the turn up for');
  }
  lines.text(start === null ? 'not known' : momentText(start), 'plain', 'start');
  const took = start === null || end === null ? undefined : Number(BigInt(end) - BigInt(start));
  lines.text(took === undefined ? 'not yet known' : tookText(took), 'plain', 'took');
  if (status.message !== null) lines.text(status.message, 'plain', 'message');
  lines.text(parent === null ? id : `${id} below ${parent}`, 'dim', 'span');
}

function addSaid(lines: Lines, { attributes }: SpanDetail, isLong: boolean): void {
  const said = conversationOf(attributes);
  if (said.length === 0) return;
  lines.head('messages');
  for (const { role, text } of said)
    lines.text(text, 'plain', role, role === 'system' && !isLong ? SHORT_SYSTEM : LONG);
}

function addAttributes(lines: Lines, title: string, attributes: SpanAttributes, without?: ReadonlySet<string>): void {
  const names = Object.keys(attributes).filter((name) => without?.has(name) !== true);
  if (names.length === 0) return;
  lines.head(title);
  for (const name of names.sort()) lines.text(asText(jsonIn(attributes[name])), 'plain', name);
}

function addEvents(lines: Lines, { events, start }: SpanDetail): void {
  if (events.length === 0) return;
  lines.head('events');
  for (const { name, time, attributes } of events) {
    const after = start === null ? undefined : Number(BigInt(time) - BigInt(start));
    const offset = after === undefined ? '' : `${after < 0 ? '' : '+'}${tookText(after)} `;
    lines.add(line(piece(INDENT + offset, 'dim'), piece(name)));
    for (const key of Object.keys(attributes)) lines.text(asText(jsonIn(attributes[key])), 'plain', `${INDENT}${key}`);
  }
}

function addLinks(lines: Lines, { links }: SpanDetail): void {
  if (links.length === 0) return;
  lines.head('links');
  for (const { trace, span, attributes } of links) {
    const about = Object.values(attributes).map(asText).join(', ');
    lines.text(`trace ${trace}, span ${span}`, 'plain', about === '' ? 'to' : about);
  }
}
