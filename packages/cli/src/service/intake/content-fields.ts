import { type HookRecord, redactValue, snapshot } from '@hermes-observer/core';
import { statusInResult } from '@hermes-observer/otel';
import { ENVELOPE, safeFields } from './safe-fields.js';

/** Of a safe field that is a text or a list; what is longer is no id, name or word. */
const LONGEST_TEXT = 1_024;
const MOST_ITEMS = 256;
/** Of one field that is masked; more of it is cut. */
const MOST_BYTES = 262_144;
/** Sizes of what a producer has dropped itself. */
const SIZE = /_(bytes|count)$/;
const ERROR_FIELDS: ReadonlySet<string> = new Set(['type', 'code', 'status_code']);

/** Whether a record has anything in it that is not known to be free of content. */
export function hasContent(record: HookRecord): boolean {
  for (const name in record) if (!ENVELOPE.has(name)) return true;
  const { hook, payload } = record;
  const safe = safeFields(hook);
  for (const name in payload) if (!isSafe(safe, name, payload[name])) return true;
  return false;
}

/** The record without its content. What assembly would tell from a result is told before that goes. */
export function withoutContent(record: HookRecord): HookRecord {
  const { hook, payload } = record;
  const safe = safeFields(hook);
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(payload)) {
    if (isSafe(safe, name, value)) kept[name] = value;
    else if (safe.has(name)) {
      const part = safePart(name, value);
      if (part !== undefined) kept[name] = part;
    }
  }
  const status = safe.has('result_status') ? (kept.result_status ?? statusInResult(payload.result)) : undefined;
  if (status !== undefined) kept.result_status = status;
  return { ...enveloped(record), payload: kept };
}

/** The record with its content bounded, secrets and personal data in it masked. */
export function withMaskedContent(record: HookRecord): HookRecord {
  const safe = safeFields(record.hook);
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record.payload))
    kept[name] = isSafe(safe, name, value) ? value : masked(value);
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) if (!ENVELOPE.has(name)) rest[name] = masked(value);
  return { ...rest, ...enveloped(record), payload: kept };
}

const masked = (value: unknown) => redactValue(snapshot(value, { bytes: MOST_BYTES }));

function enveloped(record: HookRecord): HookRecord {
  const entries = Object.entries(record).filter(([name]) => ENVELOPE.has(name));
  return Object.fromEntries(entries) as unknown as HookRecord;
}

/** Nothing, a number where a size is named, or a safe field with what such a field holds. */
function isSafe(safe: ReadonlySet<string>, name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (!safe.has(name)) return typeof value === 'number' && SIZE.test(name);
  switch (typeof value) {
    case 'string':
      // The error of an auxiliary call is its message.
      return value.length <= LONGEST_TEXT && name !== 'error';
    case 'number':
    case 'boolean':
      return true;
    default:
      return isSafeObject(name, value);
  }
}

function isSafeObject(name: string, value: unknown): boolean {
  if (name === 'usage') return isEvery(value, (_, part) => typeof part !== 'string' && typeof part !== 'object');
  if (name === 'error') return isEvery(value, (key, part) => ERROR_FIELDS.has(key) && isScalar(part));
  return Array.isArray(value) && value.length <= MOST_ITEMS && value.every(isShort);
}

/** What may stay of a safe field that holds more: token counts, the kind of an error. */
function safePart(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (name !== 'usage' && name !== 'error') return undefined;
  const isKept =
    name === 'usage'
      ? (_: string, part: unknown) => typeof part === 'number'
      : (key: string, part: unknown) => ERROR_FIELDS.has(key) && isScalar(part);
  return Object.fromEntries(Object.entries(value).filter(([key, part]) => isKept(key, part)));
}

function isEvery(value: unknown, test: (key: string, part: unknown) => boolean): boolean {
  if (Array.isArray(value)) return false;
  for (const key in value as Record<string, unknown>) {
    const part = (value as Record<string, unknown>)[key];
    if (part !== null && part !== undefined && !test(key, part)) return false;
  }
  return true;
}

const isShort = (value: unknown) => typeof value === 'string' && value.length <= LONGEST_TEXT;
const isScalar = (value: unknown) => isShort(value) || typeof value === 'number' || typeof value === 'boolean';
