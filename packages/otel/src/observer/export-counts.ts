import { OtlpHttpExporter } from '../exporters/otlp-http.js';
import { type SpoolDeliveryCounts, SpooledOtlpExporter } from '../exporters/spooled-otlp.js';
import { addTo } from '../sdk/counted-result.js';
import type { SpanExporter } from '../sdk/types.js';

/** What exporters of ours know beyond what any exporter answers. */
export interface ExportCounts {
  /** Spans that were taken with something cut off: they were too large, or refused as they were. */
  readonly cutSpans: number;
  /** Requests that were sent again. */
  readonly retries: number;
  /** What became of spans that came into files; `undefined` without a spool. */
  readonly spool: SpoolDeliveryCounts | undefined;
}

/** Sums over `exporters`; foreign ones say nothing. */
export function exportCounts(exporters: readonly SpanExporter[]): ExportCounts {
  let cutSpans = 0;
  let retries = 0;
  let spool: SpoolDeliveryCounts | undefined;
  for (const exporter of exporters) {
    if (exporter instanceof OtlpHttpExporter) {
      cutSpans += exporter.cutSpans;
      retries += exporter.retries;
    } else if (exporter instanceof SpooledOtlpExporter) {
      const { counts } = exporter;
      cutSpans += counts.cutSpans;
      retries += counts.retries;
      spool = spool === undefined ? counts : sum(spool, counts);
    }
  }
  return { cutSpans, retries, spool };
}

function sum(a: SpoolDeliveryCounts, b: SpoolDeliveryCounts): SpoolDeliveryCounts {
  const lostByReason = { ...a.lostByReason };
  for (const [reason, spans] of Object.entries(b.lostByReason)) addTo(lostByReason, reason, spans);
  return {
    sentSpans: a.sentSpans + b.sentSpans,
    lostSpans: a.lostSpans + b.lostSpans,
    lostByReason,
    cutSpans: a.cutSpans + b.cutSpans,
    retries: a.retries + b.retries,
    waitingSpans: a.waitingSpans + b.waitingSpans,
    waitingBytes: a.waitingBytes + b.waitingBytes,
  };
}
