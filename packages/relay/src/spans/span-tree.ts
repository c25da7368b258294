import { compareTime } from '@hermes-observer/core';
import { isAgent, type Role, roleOf } from './role.js';
import type { SpanFacts } from './span-facts.js';

/** Levels of spans below each other; deeper ones, and such that are below themselves, are looked at no further. */
const MOST_LEVELS = 256;

export interface TreeSpan {
  readonly span: SpanFacts;
  readonly role: Role;
}

/** What one agent did itself: its subagents are runs of their own. */
export interface Run {
  readonly root: TreeSpan;
  /** Requests, tools and waits, by their start. */
  readonly work: readonly TreeSpan[];
  /** Child agents whose nearest agent this is, and turns that its tools brought about. */
  readonly agents: readonly TreeSpan[];
}

/** Ended spans of one trace, by what hangs below what. */
export class SpanTree {
  readonly #spans = new Map<string, TreeSpan>();
  readonly #below = new Map<string, TreeSpan[]>();

  /** False for one that is there already. */
  add(span: SpanFacts): boolean {
    if (this.#spans.has(span.spanId)) return false;
    const one = { span, role: roleOf(span) };
    this.#spans.set(span.spanId, one);
    if (span.parentId === undefined) return true;
    const siblings = this.#below.get(span.parentId);
    if (siblings === undefined) this.#below.set(span.parentId, [one]);
    else siblings.push(one);
    return true;
  }

  get(spanId: string): TreeSpan | undefined {
    return this.#spans.get(spanId);
  }

  get size(): number {
    return this.#spans.size;
  }

  spans(): Iterable<TreeSpan> {
    return this.#spans.values();
  }

  /** Spans of ours that belong to no document, all of which have ended: they are below themselves, or below too many others. */
  homeless(): number {
    let count = 0;
    for (const one of this.#spans.values()) if (one.role !== 'other' && this.documentOf(one) === undefined) count++;
    return count;
  }

  /** Spans that belong to a document. */
  sizeOf(root: TreeSpan): number {
    let count = 0;
    for (const one of this.#spans.values()) if (this.documentOf(one) === root) count++;
    return count;
  }

  parentOf({ span }: TreeSpan): TreeSpan | undefined {
    return span.parentId === undefined ? undefined : this.#spans.get(span.parentId);
  }

  /**
   * The span whose document a span belongs to: the nearest turn, else the root that it hangs below. `undefined` while that has not
   * ended.
   */
  documentOf(one: TreeSpan): TreeSpan | undefined {
    let at: TreeSpan | undefined = one;
    for (let level = 0; at !== undefined && level < MOST_LEVELS; level++) {
      if (at.role === 'turn' || (at.span.parentId === undefined && at.role !== 'other')) return at;
      at = this.parentOf(at);
    }
    return undefined;
  }

  /** Spans that others of ours hang below and that are not there. A turn needs none. */
  missing(): { readonly spanId: string; readonly below: readonly TreeSpan[] }[] {
    return [...this.#below]
      .map(([spanId, below]) => ({ spanId, below: below.filter(({ role }) => role !== 'other' && role !== 'turn') }))
      .filter(({ spanId, below }) => below.length > 0 && !this.#spans.has(spanId));
  }

  /** The nearest tool above a span, if it is below `root`. */
  toolAbove(one: TreeSpan, root: TreeSpan): TreeSpan | undefined {
    let at = this.parentOf(one);
    for (let level = 0; at !== undefined && at !== root && level < MOST_LEVELS; level++) {
      if (at.role === 'tool') return at;
      if (isAgent(at.role)) return undefined;
      at = this.parentOf(at);
    }
    return undefined;
  }

  /** What hangs below an agent, or below a span that is none: then it is its own work, an auxiliary request as any other. */
  runOf(root: TreeSpan): Run {
    const own: TreeSpan = root.role === 'auxiliary' ? { ...root, role: 'chat' } : root;
    const work: TreeSpan[] = isAgent(root.role) ? [] : [own];
    const agents: TreeSpan[] = [];
    const seen = new Set([root]);
    const gather = (id: string, level: number) => {
      for (const one of this.#below.get(id) ?? []) {
        if (seen.has(one)) continue;
        seen.add(one);
        if (isAgent(one.role)) agents.push(one);
        else {
          if (one.role !== 'other') work.push(one);
          if (level < MOST_LEVELS) gather(one.span.spanId, level + 1);
        }
      }
    };
    gather(root.span.spanId, 0);
    return { root, work: work.sort(byStart), agents: agents.sort(byStart) };
  }
}

/** Where both began at once, by what does not depend on the order in which they came. */
export function byStart(a: TreeSpan, b: TreeSpan): number {
  return (
    compareTime(a.span.start, b.span.start) ||
    compareTime(a.span.end, b.span.end) ||
    (a.span.spanId < b.span.spanId ? -1 : 1)
  );
}
