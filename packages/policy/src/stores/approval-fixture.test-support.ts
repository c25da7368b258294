import { randomBytes } from 'node:crypto';
import type { Approval } from '../approvals/approval.js';
import type { Remembered } from '../approvals/remembered.js';

export const T0 = 1_764_500_000_000;
export const HOSTILE = 'a\u0000b \ud800 "\'; DROP TABLE approvals; -- $1 $. \u202e 🦊\n\t\\';

export function approvalOf(fields: Partial<Approval> = {}): Approval {
  const id = randomBytes(16).toString('base64url');
  return {
    id,
    state: 'pending',
    idempotencyKey: `key of ${id}`,
    tool: 'pay',
    args: '{"amount":10}',
    digest: 'd'.repeat(64),
    previewDigest: 'p'.repeat(64),
    callId: 'call',
    turnId: 'turn',
    taskId: 'task',
    sessionId: 'session',
    agent: 'agent',
    user: 'user',
    title: 'Pay 10',
    gates: [{ name: 'payments', version: '1' }],
    approvers: [],
    requesterMayApprove: true,
    remember: null,
    channels: ['one'],
    decisionId: 'decision',
    createdAt: T0,
    expiresAt: T0 + 60_000,
    decidedAt: null,
    decider: null,
    comment: '',
    tokenHashes: {},
    messages: [],
    owner: '',
    executingAt: null,
    settledAt: null,
    ...fields,
  };
}

export function rememberedOf(fields: Partial<Remembered> = {}): Remembered {
  return {
    id: randomBytes(16).toString('base64url'),
    scope: 'session',
    gates: ['payments@1'],
    tool: 'pay',
    agent: 'agent',
    user: 'user',
    sessionId: 'session',
    argsDigest: '',
    pattern: {},
    args: '{"amount":10}',
    decider: { channel: 'one', id: 'U1' },
    approvalId: 'approval',
    createdAt: T0,
    expiresAt: T0 + 60_000,
    ...fields,
  };
}
