import { describe, expect, it } from 'vitest';
import { exitReason } from './exit-reason.js';

describe('an exit reason with content off', () => {
  it.each([
    ['text_response(finish_reason=stop)'],
    ['max_iterations_reached(12/12)'],
    ['interrupted_by_system(gateway_restart)'],
    ['interrupted_during_api_call(user_stop_2)'],
    ['plain'],
    [''],
    ['open(only'],
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
  ])('drops free text: %s', (reason, kept) => expect(exitReason(reason, 'none')).toBe(kept));

  it('is absent when there is none', () => expect(exitReason(undefined, 'none')).toBeUndefined());
});

describe('an exit reason with content on', () => {
  it('stays whole', () => expect(exitReason('error(of the user)', 'full')).toBe('error(of the user)'));
});
