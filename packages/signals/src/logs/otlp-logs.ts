import { formatUnixNano, type HrTime, wellFormed } from '@hermes-observer/core';
import { type Attributes, trace } from '@opentelemetry/api';
import { SIGNALS_SCOPE_NAME, SIGNALS_SCOPE_VERSION } from '../scope.js';
import type { LogRecord, LogValue } from './log-record.js';

/** An `ExportLogsServiceRequest` as JSON, and how many records it has. */
export interface LogRequest {
  readonly body: Uint8Array;
  readonly records: number;
}

/** Log records as requests of OTLP/JSON, none larger than `maxBytes` unless one record is. */
export class LogRequests {
  readonly #head: string;
  readonly #maxBytes: number;

  constructor(resource: Attributes, maxBytes: number) {
    const scope = { name: SIGNALS_SCOPE_NAME, version: SIGNALS_SCOPE_VERSION };
    const attributes = keyValues(resource as Record<string, LogValue>);
    this.#head = `{"resourceLogs":[{"resource":{"attributes":${JSON.stringify(attributes)}},"scopeLogs":[{"scope":${JSON.stringify(scope)},"logRecords":[`;
    this.#maxBytes = maxBytes;
  }

  of(records: readonly LogRecord[]): LogRequest[] {
    const requests: LogRequest[] = [];
    let parts: string[] = [];
    let bytes = 0;
    const end = () => {
      if (parts.length === 0) return;
      requests.push({ body: Buffer.from(`${this.#head}${parts.join(',')}]}]}]}`), records: parts.length });
      parts = [];
      bytes = 0;
    };
    for (const record of records) {
      const part = textOf(logJson(record));
      const length = Buffer.byteLength(part) + 1;
      if (bytes > 0 && this.#head.length + bytes + length + TAIL_BYTES > this.#maxBytes) end();
      parts.push(part);
      bytes += length;
    }
    end();
    return requests;
  }
}

const TAIL_BYTES = 8;

/** JSON lets a half of a character stand as an escape, for which receivers refuse a whole request. */
function textOf(record: object): string {
  const text = JSON.stringify(record);
  if (!/\\u[dD][89a-fA-F]/.test(text)) return text;
  return JSON.stringify(record, (_, value) => (typeof value === 'string' ? wellFormed(value) : value));
}

function logJson(record: LogRecord) {
  const context = trace.getSpanContext(record.context);
  return {
    timeUnixNano: nanos(record.timestamp),
    observedTimeUnixNano: nanos(record.observedTimestamp),
    severityNumber: record.severityNumber,
    severityText: record.severityText,
    eventName: record.eventName,
    attributes: keyValues(record.attributes),
    ...(context === undefined ? {} : { flags: context.traceFlags, traceId: context.traceId, spanId: context.spanId }),
  };
}

const nanos = (time: HrTime) => formatUnixNano(time);

const keyValues = (map: Readonly<Record<string, LogValue>>) =>
  Object.entries(map)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value: anyValue(value) }));

/** Numbers that no receiver reads are texts. */
function anyValue(value: LogValue): unknown {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      if (Number.isSafeInteger(value)) return { intValue: String(value) };
      return Number.isFinite(value) ? { doubleValue: value } : { stringValue: String(value) };
    default:
      if (value === null || value === undefined) return {};
      if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
      return { kvlistValue: { values: keyValues(value as Readonly<Record<string, LogValue>>) } };
  }
}
