import { expect, it } from 'vitest';
import { choiceOf, choicesOf, choiceValue } from './choice-value.js';
import { cardOf } from './scene.test-support.js';

it('a value says what it was made of', () => {
  const card = cardOf({}, { remember: { scopes: ['session'], maxMs: 60_000 } });
  const { approval, token } = card;
  expect(choiceOf(choiceValue('reject', card))).toEqual({ approvalId: approval.id, token, choice: 'reject' });
  expect(choiceOf(choiceValue('approve-session', card))).toEqual({
    approvalId: approval.id,
    token,
    choice: 'approve',
    remember: { scope: 'session', ms: 60_000 },
  });
  const forEver = cardOf({}, { remember: { scopes: ['arguments'], maxMs: Number.POSITIVE_INFINITY } });
  expect(choiceOf(choiceValue('approve-arguments', forEver)).remember?.ms).toBe(999_999_999_999_999);
});

it('anything else is no answer', () => {
  for (const value of [
    '',
    'approve',
    'approve.a.b',
    'Approve.a.b.0',
    'approve.a.b.0.',
    'approve.a.b.0\n',
    'y.a.b.0',
    null,
    {},
    ['approve.a.b.0'],
  ]) {
    expect(() => choiceOf(value), JSON.stringify(value)).toThrow();
  }
});

it('offers to remember what the hooks allow, and only a session that is known', () => {
  const remember = { scopes: ['session', 'arguments', 'pattern'] as const, maxMs: 1 };
  expect(choicesOf(cardOf({}), true)).toEqual(['approve', 'reject']);
  expect(choicesOf(cardOf({}, { remember }), true)).toEqual([
    'approve',
    'approve-session',
    'approve-arguments',
    'reject',
  ]);
  expect(choicesOf(cardOf({}, { remember, sessionId: '' }), true)).toEqual(['approve', 'approve-arguments', 'reject']);
  expect(choicesOf(cardOf({}, { remember }), false)).toEqual(['reject']);
});
