import type { Approval, ApprovalState, MessageRef } from '../approvals/approval.js';
import type { Remembered } from '../approvals/remembered.js';
import type { Transition } from './approval-store.js';

/** One line of the log of a file store. What was appended is never changed: what came later holds. */
export type FileEntry =
  /** A new approval, or one that is copied forward as it stands. */
  | { readonly t: 'put'; readonly approval: Approval }
  | { readonly t: 'move'; readonly id: string; readonly to: ApprovalState; readonly change: Transition }
  | { readonly t: 'shown'; readonly id: string; readonly ref: MessageRef; readonly tokenHash: string }
  | { readonly t: 'event'; readonly key: string; readonly until: number }
  | { readonly t: 'remember'; readonly entry: Remembered }
  | { readonly t: 'revoke'; readonly id: string }
  /** All that was in force stands behind this position once more: what was put before it alone was let go of. */
  | { readonly t: 'copied'; readonly from: number }
  /** Damage before this position is known, and what it may have hidden was closed. */
  | { readonly t: 'mended'; readonly before: number };

export function encodeEntry(entry: FileEntry): Uint8Array {
  return Buffer.from(JSON.stringify(entry));
}

/** @throws SyntaxError when it is no JSON: it was checked by its sum, so somebody else wrote it. */
export function decodeEntry(payload: Uint8Array): FileEntry {
  return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString()) as FileEntry;
}
