import { ObserverError } from '../errors.js';

/** No space, no quota, or a file as large as the process may write. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * What the file system said, as an error that says what to do: `HO_STORE_FULL` or `HO_STORE_FAILED`.
 * @param what what could not be done, with the file: `Cannot write to …`.
 */
export function storeError(what: string, cause: unknown): ObserverError {
  if (ObserverError.isInstance(cause)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (FULL.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '')) {
    return new ObserverError('HO_STORE_FULL', `${what}: ${reason}. Free some space, then append again.`, { cause });
  }
  return new ObserverError('HO_STORE_FAILED', `${what}: ${reason}. Check the disk and the permissions.`, { cause });
}

/** The folder of a log, or a file in it, was deleted or replaced while the log was open. */
export function goneError(folder: string): ObserverError {
  const text = `${folder} was deleted or replaced while it was in use. Nothing is kept until it is made again.`;
  return new ObserverError('HO_STORE_GONE', text);
}
