import type { Approval, ApprovalState, Decider, MessageRef } from '../approvals/approval.js';
import { sha256 } from '../call/sha256.js';
import type { SqlRow } from './sql-driver.js';
import { withToken } from './transitions.js';

/** Columns of an approval, in the order of `approvalOf`. */
export const COLUMNS = 'id, state, decided_at, decision, owner, executing_at, settled_at, data';

/** Ids come from outside and may hold what no column can. */
export function hashed(...parts: readonly string[]): string {
  return sha256(JSON.stringify(parts));
}

const timeOf = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));

export function approvalOf(row: SqlRow, shown: readonly SqlRow[]): Approval {
  const decision = row.decision === null ? null : (JSON.parse(String(row.decision)) as Decision);
  let tokenHashes: Approval['tokenHashes'] = {};
  const messages: MessageRef[] = [];
  for (const { ref, token_hash } of shown) {
    const message = JSON.parse(String(ref)) as MessageRef;
    messages.push(message);
    tokenHashes = withToken(tokenHashes, message, String(token_hash));
  }
  return {
    ...(JSON.parse(String(row.data)) as Approval),
    state: String(row.state) as ApprovalState,
    decidedAt: timeOf(row.decided_at),
    decider: decision?.decider ?? null,
    comment: decision?.comment ?? '',
    owner: String(row.owner),
    executingAt: timeOf(row.executing_at),
    settledAt: timeOf(row.settled_at),
    tokenHashes,
    messages,
  };
}

interface Decision {
  readonly decider: Decider | null;
  readonly comment: string;
}
