import { describe, expect, it } from 'vitest';
import { exitReason } from './exit-reason.js';
import { typeLabel } from './labels.js';

describe('an exit reason with content off', () => {
  it.each([
    ['text_response(finish_reason=stop)'],
    ['max_iterations_reached(12/12)'],
    ['interrupted_by_system(gateway_restart)'],
    ['interrupted_during_api_call(user_stop_2)'],
    ['plain'],
  ])('keeps the program’s own words: %s', (reason) => expect(exitReason(reason, 'none')).toBe(reason));

  it.each([
    ['error(secret of the user)', 'error'],
    ['interrupted_by_user(please stop)', 'interrupted_by_user'],
    ['interrupted_by_user(slug)', 'interrupted_by_user'],
    ['interrupted_by_system(Two Words)', 'interrupted_by_system'],
    [`interrupted_by_system(${'a'.repeat(65)})`, 'interrupted_by_system'],
    ['text_response(finish_reason=stop now)', 'text_response'],
    ['error(a (nested) text)', 'error'],
    ['error(two\nlines)', 'error'],
    ['error(12/12/12)', 'error'],
    ['error()', 'error'],
    ['open(only', 'open'],
  ])('drops free text: %s', (reason, kept) => expect(exitReason(reason, 'none')).toBe(kept));

  it.each([['please tell my wife'], [''], ['two words(finish_reason=stop)'], ['a'.repeat(129)]])(
    'is left out when it is not a word: %s',
    (reason) => expect(exitReason(reason, 'none')).toBeUndefined(),
  );

  it('is absent when there is none', () => expect(exitReason(undefined, 'none')).toBeUndefined());
});

describe('an exit reason with content redacted', () => {
  it('stays, without its secrets', () => {
    const secret = `sk-${'a1B2'.repeat(10)}`;
    expect(exitReason(`error(key ${secret} refused)`, 'redacted')).not.toContain(secret);
    expect(exitReason('error(refused)', 'redacted')).toBe('error(refused)');
  });
});

describe('an exit reason with content on', () => {
  it('stays whole', () => expect(exitReason('error(of the user)', 'full')).toBe('error(of the user)'));
});

describe('the type of an error', () => {
  it.each(['RateLimitError', 'openai.RateLimitError', 'http/429', 'E_TIMEOUT'])('stays when it is a word: %s', (type) =>
    expect(typeLabel(type, 'none')).toBe(type),
  );

  it('is _OTHER with content off when it is text', () => {
    expect(typeLabel('no such user: Eve Adams', 'none')).toBe('_OTHER');
    expect(typeLabel('no such user: Eve Adams', 'full')).toBe('no such user: Eve Adams');
  });
});
