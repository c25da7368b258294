import { ObserverError } from '@hermes-observer/core';

/** An error of writing to standard output, as it is told. */
export function stdoutError(cause: unknown): ObserverError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ObserverError('HO_OUTPUT_UNWRITABLE', `cannot write to standard output: ${reason}`, { cause });
}

/** True if the reader of an output went away (`| head`): it has seen enough, and on standard output that is no fault. */
export function isReaderGone(error: unknown): boolean {
  if (!ObserverError.isInstance(error) || error.code !== 'HO_OUTPUT_UNWRITABLE') return false;
  return (error.cause as { code?: unknown } | undefined)?.code === 'EPIPE';
}
