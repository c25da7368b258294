import { redactText } from '@hermes-observer/core';
import type { Capture } from './capture.js';
import { isClean, isWord } from './labels.js';

const COUNTS = /^(finish_reason=\w+|\d+\/\d+)$/;
const SLUG = /^[a-z0-9_]{1,64}$/;
const SYSTEM = new Set(['interrupted_by_system', 'interrupted_during_api_call']);

/**
 * An exit reason as it may leave. With content off, only words of the program's own stay: the reason without what stands
 * in parentheses, and there only a finish reason, a count, or a slug after a system interruption.
 */
export function exitReason(reason: string | undefined, capture: Capture): string | undefined {
  if (reason === undefined || capture === 'full') return reason;
  if (capture === 'redacted') return redactText(reason);
  const open = reason.indexOf('(');
  if (open < 0) return isWord(reason) ? reason : undefined;
  const name = reason.slice(0, open);
  if (!isWord(name)) return undefined;
  if (!reason.endsWith(')')) return name;
  const inside = reason.slice(open + 1, -1);
  const isKept = COUNTS.test(inside) || (SYSTEM.has(name) && SLUG.test(inside));
  return isKept && isClean(reason) ? reason : name;
}
