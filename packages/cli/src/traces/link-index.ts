import type { Trace } from './trace.js';

/** Which traces link to a trace, in whatever order they come. */
export class LinkIndex {
  readonly #byTarget = new Map<string, Set<Trace>>();

  /** Notes the links of a trace's root. @returns ids of traces that nobody knew to be linked to by it */
  note(trace: Trace): string[] {
    const fresh: string[] = [];
    for (const { context } of trace.root?.source.links ?? []) {
      const { traceId } = context;
      const from = this.#byTarget.get(traceId);
      if (traceId === trace.id || from?.has(trace) === true) continue;
      if (from === undefined) this.#byTarget.set(traceId, new Set([trace]));
      else from.add(trace);
      fresh.push(traceId);
    }
    return fresh;
  }

  remove(trace: Trace): void {
    for (const { context } of trace.root?.source.links ?? []) {
      const from = this.#byTarget.get(context.traceId);
      if (from?.delete(trace) === true && from.size === 0) this.#byTarget.delete(context.traceId);
    }
  }

  /** Those that link to a trace. */
  to(id: string): readonly Trace[] {
    const from = this.#byTarget.get(id);
    return from === undefined ? NONE : [...from];
  }
}

const NONE: readonly Trace[] = [];
