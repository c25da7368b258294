export type { Damage, DamageCounts } from './segments/damage.js';
export { MAX_PAYLOAD_BYTES } from './segments/frame.js';
export type { ReadOptions } from './segments/log-reader.js';
export type { SegmentLogOptions } from './segments/options.js';
export { readSegments } from './segments/read-folder.js';
export type { Removed, RetentionLimits } from './segments/retention.js';
export { SegmentLog } from './segments/segment-log.js';
export type { StoredRecord } from './segments/segment-reader.js';
export type { SyncPolicy } from './segments/sync-policy.js';
