import type { HrTime } from '@hermes-observer/core';
import { PART, type Part, type PathSpan } from './critical-path.js';
import { retryWaits } from './retry-waits.js';
import { isDecidedByModel, SPAN_KIND, type ViewKind } from './span-kind.js';
import { factsOf, type SpanSource } from './span-source.js';

type Source = Pick<SpanSource, 'attributes' | 'facts' | 'events'>;

/** A span of whatever store. Times are nanoseconds from the base of its trace. */
export interface TimedSpan {
  readonly id: string;
  readonly kind: ViewKind;
  readonly source: Source;
  readonly start: number;
  /** -1 while it runs. */
  readonly end: number;
  readonly isRoot: boolean;
}

const NO_WAITS: PathSpan['waits'] = [];

/** A span as the critical path sees it; one that runs ends at `reach`. */
export function pathSpan({ id, kind, source, start, end, isRoot }: TimedSpan, base: HrTime, reach: number): PathSpan {
  const isRequest = kind === SPAN_KIND.request || kind === SPAN_KIND.auxiliary;
  return {
    id,
    start,
    end: end === -1 ? Math.max(start, reach) : end,
    part: partOf(kind, source),
    // The trace of a child alone is its own.
    isChildAgent: kind === SPAN_KIND.child && !isRoot,
    waits: isRequest ? retryWaits(source, base, end === -1 ? undefined : end) : NO_WAITS,
  };
}

function partOf(kind: ViewKind, source: Source): Part {
  switch (kind) {
    case SPAN_KIND.request:
    case SPAN_KIND.auxiliary:
      return PART.model;
    case SPAN_KIND.tool:
      return PART.tools;
    case SPAN_KIND.approval:
      return isDecidedByModel(factsOf(source)) ? PART.agent : PART.human;
    case SPAN_KIND.human:
      return PART.human;
    default:
      return PART.agent;
  }
}
