import { describe, expect, it } from 'vitest';
import { failureIn, rememberFailure } from './failure.js';

class ServerError extends Error {
  readonly status = 503;
}
class RetryError extends Error {
  readonly lastError: unknown;

  constructor(lastError: unknown) {
    super('gave up');
    this.lastError = lastError;
  }
}

describe('failureIn', () => {
  it('reads the error of the last attempt', () => {
    expect(failureIn(new RetryError(new ServerError('busy')))).toMatchObject({ type: '503', message: 'busy' });
  });

  it('takes what a request failed with for the failure of all that it is the cause of', () => {
    const error = new ServerError('busy');
    const wrapped = () => new RangeError('in a middleware', { cause: new Error('inner', { cause: error }) });
    expect(failureIn(wrapped()).type).toBe('RangeError');
    rememberFailure(error, failureIn(error));
    expect(failureIn(wrapped())).toMatchObject({ type: '503', statusCode: 503, message: 'in a middleware' });
  });

  it('reads errors that cannot be read as none', () => {
    const error = new Proxy(new Error('x'), {
      get: () => {
        throw new Error('trap');
      },
    });
    expect(failureIn(error)).toMatchObject({ type: '_OTHER', aborted: false });
  });
});
