import { ObserverError } from '../errors.js';
import type { Damage } from './damage.js';
import type { SyncPolicy } from './sync-policy.js';

export interface SegmentLogOptions {
  /** When an append is acknowledged. Default `interval`. */
  readonly sync?: SyncPolicy;
  /** Of `interval`: how long a record waits for its sync at most, in milliseconds. Default 100. */
  readonly syncMillis?: number;
  /** A segment is complete at this size. Default 16 MiB; one append is never split, however large. */
  readonly segmentBytes?: number;
  /** A segment is complete at this age, at the next append. Default 1 hour. */
  readonly segmentMillis?: number;
  /** `append` rejects while more than this waits for its acknowledgement. Default 64 MiB. */
  readonly maxPendingBytes?: number;
  /** Told of each damage; also counted in `damage`. By default one is a warning of the process. */
  readonly onDamage?: (damage: Damage) => void;
}

export interface ResolvedOptions extends Required<SegmentLogOptions> {
  readonly folder: string;
}

const POLICIES: readonly unknown[] = ['always', 'interval', 'never'] satisfies SyncPolicy[];
const MIB = 1024 * 1024;

/** @throws ObserverError `HO_OPTION`. */
export function resolveOptions(folder: string, options: SegmentLogOptions): ResolvedOptions {
  const { sync = 'interval', onDamage = warn } = options;
  if (!POLICIES.includes(sync)) {
    throw new ObserverError('HO_OPTION', `sync is '${String(sync)}'; it must be always, interval or never.`);
  }
  return {
    folder,
    sync,
    syncMillis: positive('syncMillis', options.syncMillis ?? 100),
    segmentBytes: positive('segmentBytes', options.segmentBytes ?? 16 * MIB),
    segmentMillis: positive('segmentMillis', options.segmentMillis ?? 3_600_000),
    maxPendingBytes: positive('maxPendingBytes', options.maxPendingBytes ?? 64 * MIB),
    onDamage,
  };
}

function positive(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value;
  throw new ObserverError('HO_OPTION', `${name} is ${String(value)}; it must be a number above 0.`);
}

function warn({ error }: Damage): void {
  process.emitWarning(error.message, { type: 'HermesObserverWarning', code: error.code });
}
