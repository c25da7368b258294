import { describe, expect, it } from 'vitest';
import { failureOf } from './failure.js';

class RateLimitError extends Error {
  readonly status = 429;
}
class APIUserAbortError extends Error {}
const named = (name: string, more: object = {}) => Object.assign(new Error('m'), { name }, more);
const caused = (name: string, cause: unknown) => named(name, { cause });
const circular: Error = named('CustomError');
circular.cause = circular;

describe('failureOf', () => {
  it.each<[unknown, object]>([
    [new TypeError('m'), { type: 'TypeError', message: 'm', statusCode: undefined, aborted: false }],
    [new RateLimitError('m'), { type: '429', statusCode: 429 }],
    [named('CustomError', { statusCode: 503 }), { type: '503', statusCode: 503 }],
    // The answer was fine, what stood in it was not.
    [named('CustomError', { statusCode: 200 }), { type: 'CustomError', statusCode: 200 }],
    [named('TimeoutError', { status: 504 }), { type: 'TimeoutError', statusCode: 504 }],
    [named('APIConnectionTimeoutError'), { type: 'TimeoutError' }],
    [named('Error', { code: 'ECONNREFUSED' }), { type: 'ECONNREFUSED' }],
    [new TypeError('m', { cause: named('Error', { code: 'ECONNREFUSED' }) }), { type: 'ECONNREFUSED' }],
    [caused('APIConnectionError', caused('TypeError', named('Error', { code: 'EAI_AGAIN' }))), { type: 'EAI_AGAIN' }],
    [caused('CustomError', { code: 'UND_ERR_SOCKET' }), { type: 'UND_ERR_SOCKET' }],
    [caused('CustomError', { code: 'CERT_HAS_EXPIRED' }), { type: 'CERT_HAS_EXPIRED' }],
    // Codes of programs are no codes of the system.
    [named('CustomError', { code: 'CARD_DECLINED' }), { type: 'CustomError' }],
    [new TypeError('m', { cause: 'text' }), { type: 'TypeError' }],
    [circular, { type: 'CustomError' }],
    [named('Error', { status: 500 }), { type: '500', statusCode: 500 }],
    [new Error('m'), { type: 'Error' }],
    [named('not a name: 4711'), { type: 'Error' }],
    [{ status: 404 }, { type: '404', statusCode: 404 }],
    [{ status: 9999 }, { type: '_OTHER', statusCode: undefined }],
    ['text', { type: '_OTHER', message: 'text' }],
    [undefined, { type: '_OTHER', message: undefined }],
    [new DOMException('m', 'AbortError'), { type: 'AbortError', aborted: true }],
    [new DOMException('m', 'TimeoutError'), { type: 'TimeoutError', aborted: false }],
    [new APIUserAbortError(), { type: 'APIUserAbortError', aborted: true }],
  ])('reads %o', (error, expected) => {
    expect(failureOf(error, undefined)).toMatchObject(expected);
  });

  it('reads nothing off an error that throws when read', () => {
    const error = Object.defineProperty(new Error('m'), 'message', {
      get: () => {
        throw new Error('trap');
      },
    });
    expect(failureOf(error, undefined)).toMatchObject({ type: '_OTHER', message: undefined, aborted: false });
  });

  it('holds anything for an abort once the signal is aborted', () => {
    expect(failureOf(new TypeError('x'), AbortSignal.abort())).toMatchObject({ type: 'TypeError', aborted: true });
    expect(failureOf('x', new AbortController().signal).aborted).toBe(false);
  });
});
