import { ObserverError } from '../errors.js';
import type { HookRecord, TraceContext } from './record.js';

export type ParsedRecord =
  | {
      record: HookRecord;
      error?: undefined;
      /** Optional fields that were left out, though they say something: their type or value is wrong. */
      leftOut?: readonly OptionalField[];
    }
  | { record?: undefined; error: ObserverError; leftOut?: undefined };

export type OptionalField = 'seq' | 'producer' | 'profile' | 'trace_context';

type Fields = Record<string, unknown>;

/**
 * Reads one line of NDJSON. Never throws.
 *
 * A line is a record when `hook` is a non-empty string, `time_unix_nano` a string of decimal digits below 2^64 (what OTLP
 * can carry) and `payload` an object. Optional fields of a wrong type are left out of the record, and named in `leftOut`;
 * they do not make it unusable. Unknown fields stay.
 *
 * Errors: `HO_RECORD_NOT_JSON`, `HO_RECORD_SHAPE` (names the field and what it must be). No message quotes the line:
 * what is in it may be content.
 */
export function parseRecord(line: string): ParsedRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    return {
      error: new ObserverError('HO_RECORD_NOT_JSON', `not JSON${positionOf(cause)}: a record is one JSON object`),
    };
  }
  return checked(value);
}

/** `parseRecord` for a value that is parsed already. The value itself is returned when nothing had to be left out. */
export function toRecord(value: unknown): ParsedRecord {
  try {
    return checked(value);
  } catch {
    return { error: new ObserverError('HO_RECORD_SHAPE', 'the record cannot be read: a getter or proxy in it throws') };
  }
}

function checked(value: unknown): ParsedRecord {
  if (!isObject(value)) return shapeError('a record', 'a JSON object', value);
  const { hook, time_unix_nano: time, payload } = value;
  if (typeof hook !== 'string' || hook === '') return shapeError('hook', 'a non-empty string', hook);
  if (!isDecimal(time)) return timeError(time);
  if (!isObject(payload)) return shapeError('payload', 'an object', payload);
  const record = value as unknown as HookRecord;
  if (hasUsableOptions(value)) return { record };
  const clean = withoutUnusable(value, record);
  const leftOut = OPTIONAL_FIELDS.filter(
    (name) => value[name] !== undefined && value[name] !== null && !(name in clean),
  );
  return leftOut.length === 0 ? { record: clean } : { record: clean, leftOut };
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const OPTIONAL_FIELDS: readonly OptionalField[] = ['seq', 'producer', 'profile', 'trace_context'];

/** Times are unsigned 64-bit numbers in OTLP: the year 2554. A receiver refuses all of a request with a larger one. */
const LATEST_TIME = '18446744073709551615';

function isDecimal(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > LATEST_TIME.length) return false;
  if (value.length === LATEST_TIME.length && value > LATEST_TIME) return false;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

function hasUsableOptions(value: Fields): boolean {
  const { seq, producer, profile, trace_context: context } = value;
  return (
    (seq === undefined || isSequence(seq)) &&
    (producer === undefined || isName(producer)) &&
    (profile === undefined || isName(profile)) &&
    (context === undefined || (isObject(context) && hasOnlyStrings(context)))
  );
}

function withoutUnusable(value: Fields, record: HookRecord): HookRecord {
  const { seq, producer, profile, trace_context: context, ...rest } = value;
  const clean: HookRecord = {
    ...rest,
    hook: record.hook,
    time_unix_nano: record.time_unix_nano,
    payload: record.payload,
  };
  if (isSequence(seq)) clean.seq = seq;
  if (isName(producer)) clean.producer = producer;
  if (isName(profile)) clean.profile = profile;
  const usable = isObject(context) ? stringsOf(context) : undefined;
  if (usable !== undefined) clean.trace_context = usable;
  return clean;
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function hasOnlyStrings({ traceparent, tracestate, baggage }: Fields): boolean {
  return (
    (traceparent === undefined || typeof traceparent === 'string') &&
    (tracestate === undefined || typeof tracestate === 'string') &&
    (baggage === undefined || typeof baggage === 'string')
  );
}

function stringsOf({ traceparent, tracestate, baggage }: Fields): TraceContext | undefined {
  const context: TraceContext = {};
  if (isName(traceparent)) context.traceparent = traceparent;
  if (isName(tracestate)) context.tracestate = tracestate;
  if (isName(baggage)) context.baggage = baggage;
  return Object.keys(context).length === 0 ? undefined : context;
}

function timeError(time: unknown): ParsedRecord {
  if (typeof time === 'string' && time !== '') {
    return shapeProblem(`time_unix_nano must be a string of decimal digits, not ${textKindOf(time)}`);
  }
  if (typeof time !== 'number') return shapeError('time_unix_nano', 'a string of decimal digits', time);
  return shapeProblem(
    'time_unix_nano must be a string of decimal digits, not a number: a JSON number loses digits of nanoseconds',
  );
}

/** What a text is that is no time, without its words. */
function textKindOf(text: string): string {
  if (/^\d+$/.test(text)) return `one of ${text.length} digits that is over 2^64 - 1`;
  if (/^[-+]\d+$/.test(text)) return text.startsWith('-') ? 'a negative number' : 'one with a sign';
  if (/^[-+]?\d+(\.\d*)?(e[-+]?\d+)?$/i.test(text)) return 'a number with a fraction or an exponent';
  if (/^\d{4}-\d\d-\d\d/.test(text)) return 'a date: give nanoseconds since 1970';
  return 'a text with other characters';
}

function shapeError(field: string, expected: string, value: unknown): ParsedRecord {
  return shapeProblem(`${field} must be ${expected}, not ${kindOf(value)}`);
}

function shapeProblem(message: string): ParsedRecord {
  return { error: new ObserverError('HO_RECORD_SHAPE', message) };
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The place a parser error names, without the excerpt that some engines add. */
function positionOf(cause: unknown): string {
  const position = /at position (\d+)/.exec(cause instanceof Error ? cause.message : '')?.[1];
  return position === undefined ? '' : ` at position ${position}`;
}
