import { type Hub, redactText } from '@hermes-observer/core';
import type { Capture, SpanBridge } from '@hermes-observer/otel';
import { type LogRecord, recordEvaluations } from '@hermes-observer/signals';

/** Keeps the log records of judgements until they are taken. */
export class EvaluationCollector {
  #records: LogRecord[] = [];

  constructor(hub: Hub, bridge: SpanBridge, capture: Capture, redacts: boolean) {
    recordEvaluations(hub, {
      loggerProvider: { getLogger: () => ({ emit: (record: LogRecord) => void this.#records.push(record) }) },
      contextOf: (ids) => bridge.contextOf(ids),
      capture,
      redact: redacts ? redactText : undefined,
    });
  }

  take(): LogRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}
