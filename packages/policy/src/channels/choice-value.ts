import type { ApprovalCard, ChannelDecision } from './base-channel.js';

/** What can be answered with one word or button. */
export type Choice = 'approve' | 'approve-session' | 'approve-arguments' | 'reject';

const CHOICES: readonly string[] = ['approve', 'approve-session', 'approve-arguments', 'reject'] satisfies Choice[];
const VALUE = /^([a-z-]{1,20})\.([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,128})\.(\d{1,15})$/;

/** Fifteen digits: for ever, as long as the hooks allow it. */
const LONGEST_MS = 999_999_999_999_999;

/** What a decision says of the request, without who gave it and where. */
export type ChoiceMade = Pick<ChannelDecision, 'approvalId' | 'token' | 'choice' | 'remember'>;

/** What a button carries back: the choice, the request, its token for this channel, and for how long to remember. */
export function choiceValue(choice: Choice, { approval, token }: ApprovalCard): string {
  const ms = choice.startsWith('approve-') ? (approval.remember?.maxMs ?? 0) : 0;
  return `${choice}.${approval.id}.${token}.${Math.floor(Math.min(ms, LONGEST_MS))}`;
}

/** @throws Error for what is no such value. */
export function choiceOf(value: unknown): ChoiceMade {
  const [, choice, approvalId, token, ms] = VALUE.exec(typeof value === 'string' ? value : '') ?? [];
  if (choice === undefined || approvalId === undefined || token === undefined || !CHOICES.includes(choice)) {
    throw new Error('the answer has no value of ours');
  }
  return { approvalId, token, ...meaningOf(choice as Choice, Number(ms)) };
}

/** `ms`: how long an answer may be remembered at most. */
export function meaningOf(choice: Choice, ms: number): Pick<ChannelDecision, 'choice' | 'remember'> {
  if (choice === 'approve' || choice === 'reject') return { choice };
  return { choice: 'approve', remember: { scope: choice === 'approve-session' ? 'session' : 'arguments', ms } };
}

/**
 * Choices that a request offers, in order. What is not shown in full and can be read nowhere else can only be rejected there:
 * nobody is asked to approve what they cannot see.
 */
export function choicesOf(
  { approval, link }: Pick<ApprovalCard, 'approval' | 'link'>,
  isWhole: boolean,
): readonly Choice[] {
  if (!isWhole && link === undefined) return ['reject'];
  const scopes = approval.remember?.scopes ?? [];
  return [
    'approve',
    ...(scopes.includes('session') && approval.sessionId !== '' ? (['approve-session'] as const) : []),
    ...(scopes.includes('arguments') ? (['approve-arguments'] as const) : []),
    'reject',
  ];
}

/** What stands on the button. */
export function labelOf(choice: Choice, maxMs = 0): string {
  switch (choice) {
    case 'approve':
      return 'Approve once';
    case 'approve-session':
      return `Approve for this session, ${span(maxMs)}`;
    case 'approve-arguments':
      return `Approve these arguments, ${span(maxMs)}`;
    case 'reject':
      return 'Reject';
  }
}

function span(ms: number): string {
  if (ms >= 2 * 86_400_000) return ms >= LONGEST_MS ? 'for ever' : `${Math.floor(ms / 86_400_000)} days`;
  if (ms >= 2 * 3_600_000) return `${Math.floor(ms / 3_600_000)} h`;
  return ms >= 2 * 60_000 ? `${Math.floor(ms / 60_000)} min` : `${Math.floor(ms / 1000)} s`;
}
