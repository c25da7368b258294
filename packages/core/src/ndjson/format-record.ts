import type { HookRecord } from '../contract/record.js';
import { ObserverError } from '../errors.js';

/**
 * A record as one line of JSON, without the newline at its end and without any inside. Well-formed whatever the strings
 * hold: lone surrogates are written as escapes. NaN and infinities become null.
 *
 * Errors: `HO_RECORD_SHAPE` for a payload JSON cannot hold (cycles, BigInt, throwing getters): make a bounded copy first.
 */
export function formatRecord(record: HookRecord): string {
  try {
    return JSON.stringify(record);
  } catch (cause) {
    throw new ObserverError(
      'HO_RECORD_SHAPE',
      `payload of ${record.hook} cannot be written as JSON: make a bounded copy of it first`,
      { cause },
    );
  }
}
