import type { ExportResult } from './types.js';

/** Why spans were not taken → how many. Reasons are few and fixed words, good for a metric. */
export type SpansByReason = Readonly<Record<string, number>>;

/** What our exporters answer: a batch that failed in part says how many spans of it, where others can say only that it did. */
export interface CountedResult extends ExportResult {
  readonly lost?: SpansByReason;
}

export function addTo(counts: Record<string, number>, reason: string, spans: number): void {
  if (spans > 0) counts[reason] = (counts[reason] ?? 0) + spans;
}
