import { type CriticalPath, FLAG, KIND, type SpanColumns, type TurnAnswer, type TurnLink } from '../api/turn-answer.js';
import type { TurnRow } from '../api/turn-row.js';
import { millisOf } from '../format/moment.js';
import { withoutOperation } from '../format/turn-title.js';
import { makeTree, type SpanTree } from './span-tree.js';

/** A turn, laid out for drawing. Nothing in it changes: what comes live makes a new one. */
export interface TurnModel {
  readonly row: TurnRow;
  /** Unix milliseconds of time 0. */
  readonly baseMillis: number;
  readonly count: number;
  readonly id: readonly string[];
  readonly kind: Uint8Array;
  readonly flags: Uint16Array;
  /** ns from the base. */
  readonly start: Float64Array;
  /** ns from the base, -1 while it runs. */
  readonly end: Float64Array;
  readonly texts: readonly string[];
  readonly name: Int32Array;
  readonly who: Int32Array;
  readonly label: Int32Array;
  readonly tree: SpanTree;
  readonly path: CriticalPath;
  readonly pathOf: PathBySpan;
  readonly links: readonly TurnLink[];
  readonly incomplete: readonly string[];
  readonly isRunning: boolean;
  /** When the last of it ended, ns; for what runs, when it began. */
  readonly extent: number;
  /** The answer it was made of: live changes build on it. */
  readonly answer: TurnAnswer;
}

/** Segments of the critical path by span: those of span i are `segments[from[i]]` up to `from[i + 1]`. */
export interface PathBySpan {
  readonly from: Int32Array;
  readonly segments: Int32Array;
}

export function makeModel(answer: TurnAnswer): TurnModel {
  const { row, base, texts, spans, path, links, incomplete } = answer;
  const start = Float64Array.from(spans.start);
  const end = Float64Array.from(spans.end);
  const flags = Uint16Array.from(spans.flags);
  return {
    row,
    baseMillis: millisOf(base),
    count: spans.id.length,
    id: spans.id,
    kind: Uint8Array.from(spans.kind),
    flags,
    start,
    end,
    texts,
    name: Int32Array.from(spans.name),
    who: Int32Array.from(spans.who),
    label: Int32Array.from(spans.label),
    tree: makeTree(spans.parent, start),
    path,
    pathOf: pathBySpan(path, spans.id.length),
    links,
    incomplete,
    isRunning: row.duration === null || flags.some((flag) => (flag & FLAG.running) !== 0),
    extent: extentOf(spans),
    answer,
  };
}

function extentOf({ start, end }: SpanColumns): number {
  let extent = 1;
  for (let span = 0; span < start.length; span++) extent = Math.max(extent, start[span] ?? 0, end[span] ?? 0);
  return extent;
}

function pathBySpan({ segments }: CriticalPath, count: number): PathBySpan {
  const from = new Int32Array(count + 1);
  for (const [span] of segments) if (span >= 0) from[span + 1] = (from[span + 1] ?? 0) + 1;
  for (let span = 0; span < count; span++) from[span + 1] = (from[span + 1] ?? 0) + (from[span] ?? 0);
  const filled = from.slice();
  const ordered = new Int32Array(segments.length);
  segments.forEach(([span], index) => {
    if (span < 0) return;
    const at = filled[span] ?? 0;
    ordered[at] = index;
    filled[span] = at + 1;
  });
  return { from, segments: ordered };
}

export const textAt = ({ texts }: TurnModel, index: number | undefined): string =>
  index === undefined || index < 0 ? '' : (texts[index] ?? '');

export const hasFlag = ({ flags }: TurnModel, span: number, flag: number): boolean => ((flags[span] ?? 0) & flag) !== 0;

/** What a span is called beside its icon. */
export function shortName(model: TurnModel, span: number): string {
  const name = textAt(model, model.name[span]);
  return model.kind[span] === KIND.other ? name : withoutOperation(name);
}

/** End of a span, ns; what runs ends now. @param now Unix milliseconds */
export function endOf(model: TurnModel, span: number, now: number): number {
  const end = model.end[span] ?? 0;
  const start = model.start[span] ?? 0;
  if (!hasFlag(model, span, FLAG.running)) return Math.max(end, start);
  return Math.max(start, (now - model.baseMillis) * 1e6);
}
