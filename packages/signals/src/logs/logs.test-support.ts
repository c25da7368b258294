import { trace } from '@opentelemetry/api';
import type { LogRecord } from './log-record.js';

export interface KeptRecord extends LogRecord {
  readonly spanId: string | undefined;
  readonly traceId: string | undefined;
}

/** A logger provider that keeps what it is given. */
export class KeptLogs {
  readonly records: KeptRecord[] = [];

  getLogger() {
    return {
      emit: (record: LogRecord) => {
        const { spanId, traceId } = trace.getSpanContext(record.context) ?? {};
        this.records.push({ ...record, spanId, traceId });
      },
    };
  }

  of(eventName: string): KeptRecord[] {
    return this.records.filter((record) => record.eventName === eventName);
  }
}
