import { compareTime, laterOf } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import type { SpanFacts } from '../spans/span-facts.js';
import { SpanTree, type TreeSpan } from '../spans/span-tree.js';

export interface OpenTracesOptions {
  /** How long a trace that is complete is kept for spans that come late, in milliseconds since its last one came. */
  readonly lateMillis: number;
  /** Estimated bytes of all spans that are kept; over it the trace that was silent for longest goes. */
  readonly maxBytes: number;
  /** A clock in milliseconds that never goes back. Clocks of spans are those of their producers, which may differ. */
  readonly now: () => number;
}

/** A document that has to be written, or written anew. */
export interface Due {
  readonly root: TreeSpan;
  readonly tree: SpanTree;
  /** The root was made up: what is known of it may be less than what was written before. */
  readonly isMadeUp: boolean;
}

/** A trace of which nothing more is expected. */
export interface GivenUp {
  readonly traceId: string;
  readonly due: readonly Due[];
  /** Its spans that belong to no document. */
  readonly homeless: number;
}

interface OpenTrace {
  readonly traceId: string;
  readonly tree: SpanTree;
  /** Roots of documents that are due. */
  readonly due: Map<string, TreeSpan>;
  bytes: number;
  touchedAt: number;
}

/** Spans wait here for the end of the turn they belong to, and afterwards for others that come late. */
export class OpenTraces {
  readonly #options: OpenTracesOptions;
  /** The one that was silent for longest comes first. */
  readonly #traces = new Map<string, OpenTrace>();
  readonly #due = new Set<OpenTrace>();
  #bytes = 0;

  constructor(options: OpenTracesOptions) {
    this.#options = options;
  }

  has({ traceId, spanId }: SpanFacts): boolean {
    return this.#traces.get(traceId)?.tree.get(spanId) !== undefined;
  }

  /** Takes a span; one that is there already changes nothing. */
  add(span: SpanFacts): void {
    const { traceId } = span;
    const trace = this.#traces.get(traceId) ?? {
      traceId,
      tree: new SpanTree(),
      due: new Map<string, TreeSpan>(),
      bytes: 0,
      touchedAt: 0,
    };
    if (!trace.tree.add(span)) return;
    this.#touch(trace);
    const bytes = estimate(span);
    trace.bytes += bytes;
    this.#bytes += bytes;
    const root = trace.tree.documentOf(trace.tree.get(span.spanId) as TreeSpan);
    if (root === undefined) return;
    trace.due.set(root.span.spanId, root);
    this.#due.add(trace);
  }

  /** Documents to write now; each stays due until `written`. */
  *due(): Generator<Due, void, void> {
    for (const { due, tree } of [...this.#due]) {
      for (const root of [...due.values()]) yield { root, tree, isMadeUp: false };
    }
  }

  written({ root }: Due): void {
    const trace = this.#traces.get(root.span.traceId);
    trace?.due.delete(root.span.spanId);
    if (trace?.due.size === 0) this.#due.delete(trace);
  }

  /** Traces that are given up: nothing more is expected of them, or there is no room. What they lack is made up first. */
  *giveUp(all = false): Generator<GivenUp, void, void> {
    const { lateMillis, maxBytes, now } = this.#options;
    for (const trace of [...this.#traces.values()]) {
      const isOver = now() - trace.touchedAt > lateMillis;
      const isRoom = !all && this.#bytes <= maxBytes;
      if (isRoom && !isOver) return;
      if (isRoom && trace.tree.missing().length > 0) {
        // A turn or a child of it goes on.
        this.#touch(trace);
        continue;
      }
      const madeUp = makeUpRoots(trace);
      const due = [...trace.due.values()];
      const { traceId, tree } = trace;
      yield {
        traceId,
        due: due.map((root) => ({ root, tree, isMadeUp: madeUp.has(root.span.spanId) })),
        homeless: tree.homeless(),
      };
      this.#forget(trace);
    }
  }

  /** Lets go of those that were silent for longest, as far as there is no room, and gives how many spans of them had to be written. */
  shed(): number {
    let spans = 0;
    for (const trace of [...this.#traces.values()]) {
      if (this.#bytes <= this.#options.maxBytes) break;
      spans += trace.tree.size;
      this.#forget(trace);
    }
    return spans;
  }

  #forget(trace: OpenTrace): void {
    this.#traces.delete(trace.traceId);
    this.#due.delete(trace);
    this.#bytes -= trace.bytes;
  }

  #touch(trace: OpenTrace): void {
    trace.touchedAt = this.#options.now();
    this.#traces.delete(trace.traceId);
    this.#traces.set(trace.traceId, trace);
  }
}

/** Agents whose spans never came, made up from what hangs below them; a child agent stands for itself. Gives their ids. */
function makeUpRoots({ tree, due, traceId }: OpenTrace): Set<string> {
  const madeUp = new Set<string>();
  for (const { spanId, below: all } of tree.missing()) {
    for (const child of all) if (child.role === 'child') due.set(child.span.spanId, child);
    const below = all.filter(({ role }) => role !== 'child');
    if (below.length === 0) continue;
    madeUp.add(spanId);
    const [first] = below as [TreeSpan, ...TreeSpan[]];
    const { attributes, resource } = first.span;
    const start = below.map(({ span }) => span.start).reduce((a, b) => (compareTime(a, b) <= 0 ? a : b));
    const end = below.map(({ span }) => span.end).reduce(laterOf);
    tree.add({
      traceId,
      spanId,
      name: 'invoke_agent',
      start,
      end,
      isError: false,
      attributes: {
        [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'invoke_agent',
        [semconv.ATTR_HERMES_TURN_KIND]: 'background',
        [semconv.ATTR_GEN_AI_CONVERSATION_ID]:
          attributes[semconv.ATTR_HERMES_PARENT_SESSION_ID] ?? attributes[semconv.ATTR_GEN_AI_CONVERSATION_ID],
        [semconv.ATTR_HERMES_TURN_ID]: attributes[semconv.ATTR_HERMES_TURN_ID],
        [semconv.ATTR_HERMES_INCOMPLETE]: true,
        [semconv.ATTR_HERMES_INCOMPLETE_REASON]: 'its span never came',
      },
      events: [],
      links: [],
      resource,
    });
    due.set(spanId, tree.get(spanId) as TreeSpan);
  }
  return madeUp;
}

/** Bytes that a span takes, about. */
function estimate({ name, statusMessage = '', attributes, events, links }: SpanFacts): number {
  const own = 512 + 2 * (name.length + statusMessage.length) + bytesOf(attributes);
  return [...events, ...links].reduce((sum, one) => sum + 256 + bytesOf(one.attributes), own);
}

const bytesOf = (attributes: SpanFacts['attributes']): number =>
  Object.entries(attributes).reduce((sum, [name, value]) => sum + 64 + 2 * name.length + bytesOfValue(value), 0);

function bytesOfValue(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length;
  return Array.isArray(value) ? value.reduce((sum: number, item: unknown) => sum + 16 + bytesOfValue(item), 32) : 32;
}
