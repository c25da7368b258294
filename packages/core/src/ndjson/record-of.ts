import type { HookMeta, HookRecord, Payload } from '../contract/record.js';
import { formatUnixNano } from '../contract/time.js';
import type { JsonObject } from '../snapshot/json.js';
import type { SnapshotLimits } from '../snapshot/limits.js';
import { snapshot } from '../snapshot/snapshot.js';

/**
 * A hook call as the record to keep of it, from what a subscriber gets. The payload becomes a bounded copy, so that
 * `formatRecord` can write it whatever it holds.
 *
 * @param limits bounds of the copy; left out: those of `snapshot`
 */
export function recordOf(payload: Payload, meta: HookMeta, limits?: SnapshotLimits): HookRecord {
  const copy = snapshot(payload, limits);
  const isObject = typeof copy === 'object' && copy !== null && !Array.isArray(copy);
  const record: HookRecord = {
    hook: meta.hook,
    time_unix_nano: formatUnixNano(meta.time),
    payload: isObject ? (copy as JsonObject) : {},
  };
  if (meta.producer !== undefined) record.producer = meta.producer;
  if (meta.seq !== undefined) record.seq = meta.seq;
  if (meta.traceContext !== undefined) record.trace_context = meta.traceContext;
  if (meta.profile !== undefined) record.profile = meta.profile;
  return record;
}
