import { compareTime } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import type { PackedPath, TurnAnswer, TurnChange, TurnLink, SpanColumns as WireColumns } from '../wire.js';
import { type LaidOut, laidOutOf } from './layout.js';
import { packPath } from './pack-columns.js';
import { unixNanos } from './relative-time.js';
import { FLAG, labelOf, whoOf } from './span-facts.js';
import { textOf } from './span-source.js';
import type { StoredSpan } from './stored-span.js';
import type { Trace } from './trace.js';
import { pathOf } from './trace-path.js';
import { incompleteReasons, rowOf } from './trace-row.js';

export type { TurnChange } from '../wire.js';

/** As they are made, or kept up to date in place. */
export type SpanColumns = { -readonly [Column in keyof WireColumns]: WireColumns[Column][number][] };
export interface TurnColumns extends TurnAnswer {
  readonly spans: SpanColumns;
}

/** Texts by their number, each once. */
class Texts {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  number(text: string | undefined): number {
    if (text === undefined) return -1;
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.list.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}

const MOST_NAME = 512;

/**
 * @param now in nanoseconds from the base of the trace, for what runs
 * @param linked traces that link to it
 */
export function columnsOf(trace: Trace, now: number, linked: readonly Trace[] = []): TurnColumns {
  const { spans, parents } = laidOutOf(trace);
  const texts = new Texts();
  return {
    row: rowOf(trace),
    base: unixNanos(trace.base),
    at: trace.version,
    spans: columns(trace, spans, parents, texts),
    texts: texts.list,
    path: pathOf(trace, spans, parents, now),
    links: linksOf(trace, linked),
    incomplete: incompleteReasons(trace),
  };
}

/**
 * What changed of a trace that somebody has, or `undefined` if that is to be read anew.
 * @param from version of the last change
 * @param now in nanoseconds from the base of the trace; without it where the time went is left out
 * @param linked traces that link to it
 */
export function changeOf(
  trace: Trace,
  changed: Iterable<StoredSpan>,
  from: number,
  now?: number,
  linked: readonly Trace[] = [],
): TurnChange | undefined {
  const { laid } = trace;
  if (laid === undefined || laid.generation !== trace.generation) return undefined;
  const spans = [...changed];
  const index = spans.map((span) => laid.place(trace, span));
  const texts = new Texts();
  const parents = index.map((i) => laid.parents[i] as number);
  return {
    from,
    at: trace.version,
    row: rowOf(trace),
    base: unixNanos(trace.base),
    spans: { index, ...columns(trace, spans, parents, texts) },
    texts: texts.list,
    ...(now !== undefined && { path: packedPathOf(trace, laid, now) }),
    links: linksOf(trace, linked),
    incomplete: incompleteReasons(trace),
  };
}

function packedPathOf(trace: Trace, { spans, parents }: LaidOut, now: number): PackedPath {
  const times = spans.map((span) => trace.timesOf(span));
  const ends = { start: times.map(({ start }) => start), end: times.map(({ end }) => end) };
  return packPath(pathOf(trace, spans, parents, now), ends);
}

function columns(trace: Trace, spans: readonly StoredSpan[], parents: readonly number[], texts: Texts): SpanColumns {
  const turnEnd =
    trace.isTurn && trace.root?.end !== undefined ? trace.timesOf(trace.root).end : Number.POSITIVE_INFINITY;
  const made: SpanColumns = {
    id: [],
    parent: [...parents],
    name: [],
    kind: [],
    start: [],
    end: [],
    flags: [],
    who: [],
    label: [],
  };
  for (const span of spans) {
    const { source, kind, flags } = span;
    const { start, end, isFaulty } = trace.timesOf(span);
    const approval = (flags & FLAG.blocked) === 0 ? undefined : trace.approvalBelow(span)?.source;
    const goesOn = end === -1 ? turnEnd !== Number.POSITIVE_INFINITY : end > turnEnd;
    made.id.push(span.id);
    made.name.push(texts.number(source.name.slice(0, MOST_NAME)));
    made.kind.push(kind);
    made.start.push(start);
    made.end.push(end);
    made.flags.push(flags | (goesOn ? FLAG.background : 0) | (isFaulty ? FLAG.clockFault : 0));
    made.who.push(texts.number(whoOf(source, kind, approval)));
    made.label.push(texts.number(labelOf(source, kind, flags, approval)));
  }
  return made;
}

/** What a link is, as seen from its other end. */
const REVERSE: Readonly<Record<string, string>> = {
  previous_turn: 'next_turn',
  session_turn: 'background_work',
  parent_session: 'child_session',
};
const MOST_LINKED = 20;

function linksOf({ id, root }: Trace, linked: readonly Trace[]): TurnLink[] {
  const links: TurnLink[] = (root?.source.links ?? []).map(({ context, attributes = {} }) => ({
    relation: textOf(attributes, semconv.ATTR_HERMES_LINK) ?? 'link',
    trace: context.traceId,
    span: context.spanId,
  }));
  const last = linked.slice(-MOST_LINKED).sort((a, b) => compareTime(a.base, b.base));
  for (const other of last) {
    for (const { context, attributes = {} } of other.root?.source.links ?? []) {
      const link = textOf(attributes, semconv.ATTR_HERMES_LINK) ?? '';
      const relation = Object.hasOwn(REVERSE, link) ? REVERSE[link] : undefined;
      if (context.traceId !== id || relation === undefined) continue;
      links.push({ relation, trace: other.id, span: other.root?.id ?? '' });
      break;
    }
  }
  return links;
}
