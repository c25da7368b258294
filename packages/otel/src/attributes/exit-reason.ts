import type { Capture } from './capture.js';

const COUNTS = /^(finish_reason=\w+|\d+\/\d+)$/;
const SLUG = /^[a-z0-9_]{1,64}$/;
const SYSTEM = new Set(['interrupted_by_system', 'interrupted_during_api_call']);

/**
 * An exit reason as it may leave. With content off, what stands in its parentheses is dropped unless it can only be the
 * program's own words: a finish reason, a count, a slug after a system interruption.
 */
export function exitReason(reason: string | undefined, capture: Capture): string | undefined {
  if (reason === undefined || capture !== 'none') return reason;
  const open = reason.indexOf('(');
  if (open < 0 || !reason.endsWith(')')) return reason;
  const name = reason.slice(0, open);
  const inside = reason.slice(open + 1, -1);
  return COUNTS.test(inside) || (SYSTEM.has(name) && SLUG.test(inside)) ? reason : name;
}
