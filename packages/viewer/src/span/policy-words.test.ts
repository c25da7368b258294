import { expect, it } from 'vitest';
import { approvalWords, policyWords } from './policy-words.js';

const decision = (fields: object) =>
  policyWords(
    'hermes.policy.decision',
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [`hermes.policy.${key}`, value])),
  );

it.each([
  [{ gate: 'SpendLimit', outcome: 'deny', kind: 'denied' }, 'SpendLimit says no'],
  [
    { gate: 'SpendLimit', outcome: 'deny', kind: 'denied', reason: 'The amount is above 1000\u202e.' },
    expect.stringMatching(/^SpendLimit says no: The amount is above 1000.*\.$/),
  ],
  [{ gate: 'SpendLimit', outcome: 'ask', kind: 'asked' }, 'SpendLimit wants a person to approve it'],
  [{ gate: 'guard', outcome: 'deny', kind: 'hook_timeout' }, 'guard could not decide in time'],
  [
    { gate: 'guard', outcome: 'allow', kind: 'hook_error', on_error: 'allow' },
    'guard could not decide: it failed, and is set to let through then',
  ],
  [{ gate: 'guard', outcome: 'deny', kind: 'denied', mode: 'observe' }, 'guard says no (it only observes)'],
  [{ gate: 'shop:approval', outcome: 'allow', kind: 'allowed' }, 'A person approved it'],
  [{ gate: 'shop:approval', outcome: 'deny', kind: 'denied' }, 'A person refused it'],
  [
    { gate: 'shop:approval', outcome: 'deny', kind: 'expired' },
    'The question to a person had no answer in time: nobody agreed',
  ],
  [{ gate: 'a\u202eb', outcome: 'constructor', kind: 'toString' }, expect.stringMatching(/^a.*b says constructor$/)],
  [{}, 'A gate says '],
])('%j is said in words', (fields, words) => {
  expect(decision(fields)).toEqual(words);
});

it('other events and other spans have none', () => {
  expect(policyWords('exception', {})).toBeUndefined();
  expect(approvalWords({})).toBeUndefined();
  expect(approvalWords({ 'hermes.approval.choice': 'toString' })).toBeUndefined();
  expect(approvalWords({ 'hermes.approval.choice': 'timeout' })).toBe('Nobody answered in time: nobody agreed');
});
