import { ObserverError } from '@hermes-observer/core';

/** Version of the protocol that this service speaks. See `docs/protocol.md`. */
export const PROTOCOL = 1;

/** What is wrong with the greeting of a producer. Its records are taken all the same. */
export function helloProblem(payload: Readonly<Record<string, unknown>>): ObserverError | undefined {
  const { protocol } = payload;
  if (protocol === PROTOCOL || protocol === undefined || protocol === null) return undefined;
  return new ObserverError(
    'HO_REQUEST',
    `the producer speaks protocol ${String(protocol).slice(0, 20)}, this service ${PROTOCOL}: update the older of the two`,
  );
}

/** An error as a line says it; `line` counts from 1 in its connection or body. */
export function errorBody(error: ObserverError, line?: number) {
  return { error: { code: error.code, message: error.message, ...(line !== undefined && { line }) } };
}

/** What an unexpected failure is called towards a client; its text stays here. */
export function asObserverError(error: unknown): ObserverError {
  if (ObserverError.isInstance(error)) return error;
  return new ObserverError('HO_INTERNAL', 'a fault of the service; its log has more', { cause: error });
}
