import { compareTime, type HrTime } from '@hermes-observer/core';
import { excerptOf } from './excerpt.js';
import type { FactName } from './facts.js';
import type { LaidOut } from './layout.js';
import { isNoTime, nanosFrom } from './relative-time.js';
import { flagsOf } from './span-facts.js';
import { SPAN_KIND, viewKindOf } from './span-kind.js';
import { factsOf, type SpanInput, textOf } from './span-source.js';
import { spanWeight } from './span-weight.js';
import { StoredSpan } from './stored-span.js';
import { Tally } from './tally.js';

/** Where a trace came from: spans of the service, the journal's history, or another program. */
export type Origin = 'service' | 'history' | 'received';

const NANOS = 1e9;

/** One trace, with all that its row says kept up as spans come and change. Spans are never walked for it. */
export class Trace {
  readonly id: string;
  origin: Origin;
  /** In the order they came. */
  readonly spans: StoredSpan[] = [];
  readonly #byId = new Map<string, StoredSpan>();
  /** Ids that spans name as their parent and that did not come. */
  readonly #missingParents = new Set<string>();
  /** Approvals by the span they stand below. */
  readonly #approvals = new Map<string, StoredSpan>();
  readonly tally = new Tally();
  root: StoredSpan | undefined;
  excerpt: string | undefined;
  bytes = 0;
  /** Of the store, at its last change. */
  version = 0;
  /** Spans that did not fit. */
  leftOut = 0;
  /** Goes up whenever the order or the parents of known spans changed, so that what was given out does not hold. */
  generation = 0;
  /** The order in which its spans were last given out. */
  laid: LaidOut | undefined;
  /** Those who follow it need the indices to stay. */
  followers = 0;
  /** The journal's positions of its records, as pairs of first and count, rising. */
  readonly places: number[] = [];
  #lastParent = '';
  #anchor: HrTime | undefined;
  /** Goes up whenever `base` moves. */
  baseMoves = 0;
  #least = 0;
  #most = 0;

  constructor(id: string, origin: Origin) {
    this.id = id;
    this.origin = origin;
  }

  /** Spans of it that have not ended. */
  get running(): number {
    return this.tally.running;
  }

  /** Its first start. Before any time is known, the epoch. */
  get base(): HrTime {
    const [seconds, nanos] = this.#anchor ?? [0, 0];
    const sum = nanos + this.#least;
    const carry = Math.floor(sum / NANOS);
    return [seconds + carry, sum - carry * NANOS];
  }

  /** Nanoseconds from `base` to the last time that is known. */
  get extent(): number {
    return this.#most - this.#least;
  }

  /** It is a turn of an agent, which may have work in the background that goes on past its end. */
  get isTurn(): boolean {
    return this.root?.kind === SPAN_KIND.turn && this.tally.turns === 1;
  }

  find(id: string): StoredSpan | undefined {
    return this.#byId.get(id);
  }

  approvalBelow(span: StoredSpan): StoredSpan | undefined {
    return this.#approvals.get(span.id);
  }

  /** Nanoseconds from `base`, made good where a time is none; `end` is -1 while it runs. */
  timesOf({ source, end, isBroken }: StoredSpan): { start: number; end: number; isFaulty: boolean } {
    const first = this.#relative(source.startTime);
    const last = end === undefined ? undefined : this.#relative(end);
    const start = first ?? last ?? 0;
    if (end === undefined) return { start, end: -1, isFaulty: isBroken || first === undefined };
    const isFaulty = isBroken || first === undefined || last === undefined || last < start;
    return { start, end: Math.max(start, last ?? start), isFaulty };
  }

  /**
   * Adds a span, or what came later of one.
   * @param known the span of this id, if there is one
   * @returns the span, and by how many bytes this grew
   */
  put(input: SpanInput, known: StoredSpan | undefined): { span: StoredSpan; grown: number } {
    const before = known === undefined ? 0 : known.bytes - (known.source.sharedBytes ?? 0);
    const span = known === undefined ? this.#add(input) : this.#change(known, input);
    const grown = span.bytes - before;
    this.bytes += grown;
    this.#stretch(span);
    this.tally.count(span, 1);
    if (span.kind === SPAN_KIND.approval && span.parentId !== '') this.#approvals.set(span.parentId, span);
    if (this.#isBetterRoot(span)) this.root = span;
    if (span === this.root) this.excerpt = excerptOf(span.source) ?? this.excerpt;
    return { span, grown };
  }

  /** Notes that a record of the journal belongs to it. */
  notePlace(position: number): void {
    const { places } = this;
    const last = places.length - 2;
    const end = last < 0 ? -1 : (places[last] as number) + (places[last + 1] as number);
    if (position < end) return;
    if (position === end) places[last + 1] = (places[last + 1] as number) + 1;
    else places.push(position, 1);
  }

  #add(input: SpanInput): StoredSpan {
    // One without an id cannot be found by another.
    const id = input.spanId === '' ? `-${this.spans.length}` : input.spanId;
    const parentId = input.parentId === id ? '' : input.parentId;
    const isAsItIs = id === input.spanId && parentId === input.parentId;
    const span = new StoredSpan(isAsItIs ? input : { ...input, spanId: id, parentId });
    this.spans.push(span);
    this.#byId.set(id, span);
    // Spans that come together often have the same parent.
    if (parentId !== '' && parentId !== this.#lastParent) {
      this.#lastParent = parentId;
      if (!this.#byId.has(parentId)) this.#missingParents.add(parentId);
    }
    // What hung nowhere hangs below it now.
    if (this.#missingParents.size > 0 && this.#missingParents.delete(id)) this.generation++;
    return span;
  }

  #change(span: StoredSpan, { source, end, parentId, isBroken = false }: SpanInput): StoredSpan {
    this.tally.count(span, -1);
    // A late copy without an end takes nothing back.
    span.end = end ?? span.end;
    span.source = source;
    span.isBroken = isBroken;
    if (parentId !== span.parentId && parentId !== span.id) {
      span.parentId = parentId;
      if (parentId !== '' && !this.#byId.has(parentId)) this.#missingParents.add(parentId);
      this.generation++;
    }
    span.kind = viewKindOf(source, span.parentId !== '');
    span.flags = flagsOf(source, span.kind, span.end === undefined);
    span.bytes = spanWeight(source);
    return span;
  }

  #relative(time: HrTime): number | undefined {
    if (this.#anchor === undefined || isNoTime(time)) return undefined;
    const nanos = nanosFrom(this.#anchor, time);
    return nanos === undefined ? undefined : nanos - this.#least;
  }

  #stretch({ source: { startTime }, end }: StoredSpan): void {
    // An end before its start says nothing of when anything was.
    const isEnd = end !== undefined && (isNoTime(startTime) || compareTime(startTime, end) <= 0);
    for (const time of isEnd ? [startTime, end] : [startTime]) {
      if (isNoTime(time)) continue;
      if (this.#anchor === undefined) {
        this.#anchor = time;
        this.baseMoves++;
      }
      const nanos = nanosFrom(this.#anchor, time);
      if (nanos === undefined) continue;
      if (nanos < this.#least) {
        this.#least = nanos;
        this.baseMoves++;
        // Times that were given out count from another base.
        this.generation++;
      }
      if (nanos > this.#most) this.#most = nanos;
    }
  }

  /** One without a parent, else the one that began first. */
  #isBetterRoot(span: StoredSpan): boolean {
    const { root } = this;
    if (root === undefined || root.parentId === span.id) return true;
    if (span === root || span.parentId === root.id) return false;
    if ((span.parentId === '') !== (root.parentId === '')) return span.parentId === '';
    return this.timesOf(span).start < this.timesOf(root).start;
  }
}

/** Attributes of a row, by their names. */
export const rootText = (trace: Trace, name: FactName) =>
  trace.root === undefined ? undefined : textOf(factsOf(trace.root.source), name);
