import { type HookRecord, ObserverError, type ParsedRecord } from '@hermes-observer/core';

/** Longer names are no names, and would be kept as keys in many places. */
const LONGEST_NAME = 256;
/** The same of ids in payloads. */
const LONGEST_ID = 4_096;
/** Some models hide a signature in the ids of calls. */
const LONGEST_CALL_ID = 65_536;
const IDS = /(_id|_key|_name)$|^key$/;
const CALL_IDS: ReadonlySet<string> = new Set(['tool_call_id', 'api_request_id']);

/**
 * Why a record is refused that could be read: its sender would never be told that it is taken, or it has a name without
 * measure. A record without producer or number is sound.
 * @param chars of its line
 */
export function nameProblem({ record, leftOut = [] }: ParsedRecord, chars: number): ObserverError | undefined {
  if (record === undefined) return undefined;
  if (leftOut.includes('seq')) return problem('seq must be a whole number from 1 to 2^53 - 1');
  if (leftOut.includes('producer')) return problem('producer must be a text that is not empty');
  const { hook, producer = '', profile = '' } = record;
  if (hook.length > LONGEST_NAME || producer.length > LONGEST_NAME || profile.length > LONGEST_NAME) {
    return problem(`hook, producer and profile have at most ${LONGEST_NAME} characters`);
  }
  return chars > LONGEST_ID ? idProblem(record.payload) : undefined;
}

function idProblem(payload: HookRecord['payload']): ObserverError | undefined {
  for (const name in payload) {
    const value = payload[name];
    if (typeof value !== 'string' || value.length <= LONGEST_ID || !IDS.test(name)) continue;
    const most = CALL_IDS.has(name) ? LONGEST_CALL_ID : LONGEST_ID;
    if (value.length > most) return problem(`an id or name of its payload has more than ${most} characters`);
  }
  return undefined;
}

const problem = (text: string) => new ObserverError('HO_RECORD_SHAPE', text);
