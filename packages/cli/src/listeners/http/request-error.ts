import { type ErrorCode, ObserverError } from '@hermes-observer/core';

/** A request that is answered with an error. */
export class RequestError extends ObserverError {
  readonly status: number;

  constructor(status: number, code: ErrorCode, message: string) {
    super(code, message);
    this.status = status;
  }
}

const STATUS: ReadonlyMap<ErrorCode, number> = new Map([
  ['HO_SERVICE_BUSY', 429],
  ['HO_SERVICE_STOPPING', 503],
  ['HO_STORE_FULL', 503],
  ['HO_STORE_FAILED', 503],
  ['HO_STORE_GONE', 503],
  ['HO_STORE_LOCKED', 503],
  ['HO_STORE_BUSY', 503],
  ['HO_REQUEST', 400],
]);

/** The status that an error is answered with. */
export function statusOf(error: ObserverError): number {
  return error instanceof RequestError ? error.status : (STATUS.get(error.code) ?? 500);
}
