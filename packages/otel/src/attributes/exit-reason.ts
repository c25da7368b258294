import { redactText } from '@hermes-observer/core';
import type { Capture } from './capture.js';
import { label } from './values.js';

const COUNTS = /^(finish_reason=\w+|\d+\/\d+)$/;
const SLUG = /^[a-z0-9_]{1,64}$/;
const SYSTEM = new Set(['interrupted_by_system', 'interrupted_during_api_call']);
/** A word a program chose: a class name, a code, a slug. Anything with spaces may be somebody's text. */
const WORD = /^[\w.:$/-]{1,128}$/;

/**
 * An exit reason as it may leave. With content off, only words of the program's own stay: the reason without what stands
 * in parentheses, and there only a finish reason, a count, or a slug after a system interruption.
 */
export function exitReason(reason: string | undefined, capture: Capture): string | undefined {
  if (reason === undefined || capture === 'full') return reason;
  if (capture === 'redacted') return redactText(reason);
  const open = reason.indexOf('(');
  if (open < 0) return WORD.test(reason) ? reason : undefined;
  const name = reason.slice(0, open);
  if (!WORD.test(name)) return undefined;
  if (!reason.endsWith(')')) return name;
  const inside = reason.slice(open + 1, -1);
  return COUNTS.test(inside) || (SYSTEM.has(name) && SLUG.test(inside)) ? reason : name;
}

/** Most requests of an agent end for the same reason. */
let lastWord = '';

/** A type of error, reason, status or choice as it may leave: a word stays, text is content. */
export function typeLabel(type: string, capture: Capture): string {
  if (type === lastWord) return type;
  if (WORD.test(type)) {
    lastWord = type;
    return type;
  }
  if (capture === 'none') return '_OTHER';
  return label(capture === 'redacted' ? redactText(type) : type) ?? '_OTHER';
}

/** The same of a field of a record, which may hold anything. */
export function wordLabel(value: unknown, capture: Capture): string | undefined {
  return typeof value === 'string' && value !== '' ? typeLabel(value, capture) : undefined;
}
