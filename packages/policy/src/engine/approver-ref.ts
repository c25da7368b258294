import { createHmac } from 'node:crypto';
import type { Decider } from '../approvals/approval.js';

/** An opaque reference to whoever decided: the same for the same person and salt, and nothing can be read from it. */
export function approverRef(decider: Decider | null, salt: string): string | undefined {
  if (decider === null) return undefined;
  return createHmac('sha256', salt)
    .update(JSON.stringify([decider.channel, decider.id]))
    .digest('hex')
    .slice(0, 16);
}
