import { ObserverError } from '../errors.js';

/** A part of a segment that holds no good records, found at the open or while reading. */
export interface Damage {
  readonly file: string;
  /** Byte in the file where good records end. */
  readonly offset: number;
  /** Position of the first record that is missing. */
  readonly position: number;
  /** Records that are lost; undefined for a tail, of which nobody knows how many were in it. */
  readonly records: number | undefined;
  /** Bytes that were cut off the file; 0 for damage that stays in it. */
  readonly cutBytes: number;
  /** `HO_STORE_DAMAGED`, for a message that says all of this. */
  readonly error: ObserverError;
}

/** What was found damaged since the open. Damage that is read twice counts twice. */
export interface DamageCounts {
  /** Bytes of torn tails that were cut off. */
  cutBytes: number;
  /** Records that readers had to skip. */
  lostRecords: number;
}

/** Adds what is reported to `counts` before it tells of it. */
export function countDamage(counts: DamageCounts, onDamage: (damage: Damage) => void): (damage: Damage) => void {
  return (damage) => {
    counts.cutBytes += damage.cutBytes;
    counts.lostRecords += damage.records ?? 0;
    try {
      onDamage(damage);
    } catch {
      // It is counted: who listens must not keep others from reading.
    }
  };
}

export function tornTail(file: string, offset: number, position: number, cutBytes: number): Damage {
  return damage(
    { file, offset, position, cutBytes, records: undefined },
    `${cutBytes} bytes that are no record were cut`,
  );
}

export function lostRecords(file: string, offset: number, position: number, records: number): Damage {
  const text = `records ${position} to ${position + records - 1} are lost, reading goes on behind them`;
  return damage({ file, offset, position, cutBytes: 0, records }, text);
}

export function damagedHeader(file: string, position: number, fault: 'damaged' | 'newer'): Damage {
  const text = fault === 'newer' ? 'it is of a newer version' : 'its header is damaged, its records are read';
  return damage({ file, offset: 0, position, cutBytes: 0, records: 0 }, text);
}

function damage(place: Omit<Damage, 'error'>, text: string): Damage {
  const message = `${place.file} is damaged at byte ${place.offset}: ${text}. Check the disk.`;
  return { ...place, error: new ObserverError('HO_STORE_DAMAGED', message) };
}
