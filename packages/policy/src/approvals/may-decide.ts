import type { Approval, Decider } from './approval.js';

/** Whether the user that a call is for is the person who decides. */
export type IsRequester = (user: string, decider: Decider) => boolean;

/** The same id, alone or with its channel, whatever its case: who could be the same is. */
export const isSameId: IsRequester = (user, { channel, id }) => {
  const plain = (text: string) => text.normalize('NFKC').trim().toLowerCase();
  return plain(user) === plain(id) || plain(user) === plain(`${channel}:${id}`);
};

/** Why a person may not decide, for them to read; `undefined` where they may. */
export function mayDecide(
  terms: Pick<Approval, 'approvers' | 'requesterMayApprove' | 'user'>,
  decider: Decider,
  choice: 'approve' | 'reject',
  isRequester: IsRequester,
): string | undefined {
  const { approvers, requesterMayApprove, user } = terms;
  if (typeof decider.id !== 'string' || decider.id === '') return 'It is not known who answers.';
  if (approvers.length > 0 && !approvers.includes(`${decider.channel}:${decider.id}`))
    return 'You may not decide this.';
  if (choice === 'reject' || requesterMayApprove) return undefined;
  return user === '' || isRequester(user, decider) ? 'Whoever asked for it may not approve it.' : undefined;
}
