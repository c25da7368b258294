import { ObserverError } from '@hermes-observer/core';

/**
 * A fault of a store as `HO_POLICY_STORE`, which blocks the call that needed it.
 * @param what what could not be done: `Cannot keep an approval in …`.
 */
export function policyStoreError(what: string, cause: unknown): ObserverError {
  if (ObserverError.isInstance(cause) && cause.code === 'HO_POLICY_STORE') return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ObserverError('HO_POLICY_STORE', `${what}: ${reason}`, { cause });
}

/** Does what a store is asked for; whatever goes wrong is `HO_POLICY_STORE`. */
export async function orStoreError<T>(what: string, job: () => T | Promise<T>): Promise<T> {
  try {
    return await job();
  } catch (cause) {
    throw policyStoreError(what, cause);
  }
}
