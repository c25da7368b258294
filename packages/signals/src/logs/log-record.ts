import type { Attributes, Context, HrTime } from '@opentelemetry/api';
import { LOG_EVENTS, type LogEvent } from './log-events.js';

/** A value of a log record's attribute: text, number, truth, and lists and maps of them. */
export type LogValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly LogValue[]
  | { readonly [key: string]: LogValue };
export type LogAttributes = Readonly<Record<string, LogValue>>;

/** A record as the logs API takes it. */
export interface LogRecord {
  readonly eventName: string;
  readonly timestamp: HrTime;
  readonly observedTimestamp: HrTime;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly attributes: LogAttributes;
  /** Of the span that it belongs to. */
  readonly context: Context;
}

/** The part of the logs API's `LoggerProvider` that is used. */
export interface LoggerProvider {
  // biome-ignore lint/suspicious/noExplicitAny: a record as the logs API has it, which need not be installed
  getLogger(name: string, version?: string, options?: any): { emit(record: any): void };
}

export const SEVERITY = { DEBUG: 5, INFO: 9, WARN: 13, ERROR: 17 } as const;

/** A record of a moment. Both its times are that moment: the same spans give the same records. @param severity where it differs from the table */
export function logRecord(
  eventName: LogEvent,
  time: HrTime,
  attributes: LogAttributes,
  context: Context,
  severity: keyof typeof SEVERITY = LOG_EVENTS[eventName].severity,
): LogRecord {
  return {
    eventName,
    timestamp: time,
    observedTimestamp: time,
    severityNumber: SEVERITY[severity],
    severityText: severity,
    attributes,
    context,
  };
}

/** Those of the attributes that are there. */
export function pick(attributes: Attributes, names: readonly string[]): Record<string, LogValue> {
  const picked: Record<string, LogValue> = {};
  for (const name of names) {
    const value = attributes[name] as LogValue;
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
