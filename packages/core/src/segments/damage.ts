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
  /** Bytes between the good records before it and those behind it; 0 for a tail that was cut. */
  readonly skippedBytes: number;
  /** `HO_STORE_DAMAGED`, for a message that says all of this. */
  readonly error: ObserverError;
}

/** What was found damaged since the open. Damage that is read twice counts once. */
export interface DamageCounts {
  /** Bytes of torn tails that were cut off. */
  cutBytes: number;
  /** Records that readers had to skip, and the bytes of them. */
  lostRecords: number;
  skippedBytes: number;
}

/** Damage that is remembered, so that it is told and counted once. */
const MOST_PLACES = 10_000;

/** Tells of each damage once, and adds it to `counts` before. */
export function countDamage(counts: DamageCounts, onDamage: (damage: Damage) => void): (damage: Damage) => void {
  const known = new Set<string>();
  return (damage) => {
    const place = `${damage.offset} ${damage.file}`;
    if (known.has(place)) return;
    if (known.size < MOST_PLACES) known.add(place);
    counts.cutBytes += damage.cutBytes;
    counts.lostRecords += damage.records ?? 0;
    counts.skippedBytes += damage.skippedBytes;
    try {
      onDamage(damage);
    } catch {
      // It is counted: who listens must not keep others from reading.
    }
  };
}

export function tornTail(file: string, offset: number, position: number, cutBytes: number): Damage {
  return damage(
    { file, offset, position, cutBytes, skippedBytes: 0, records: undefined },
    `${cutBytes} bytes that are no record were cut`,
  );
}

/** @param end byte where good records begin again, or the segment ends. */
export function lostRecords(file: string, offset: number, position: number, records: number, end: number): Damage {
  const skippedBytes = Math.max(0, end - offset);
  const which = records === 1 ? `record ${position} is` : `records ${position} to ${position + records - 1} are`;
  const text = `${skippedBytes} bytes, ${which} lost, reading goes on behind them`;
  return damage({ file, offset, position, cutBytes: 0, skippedBytes, records }, text);
}

export function damagedHeader(file: string, position: number, fault: 'damaged' | 'newer'): Damage {
  const text = fault === 'newer' ? 'it is of a newer version' : 'its header is damaged, its records are read';
  return damage({ file, offset: 0, position, cutBytes: 0, skippedBytes: 0, records: 0 }, text);
}

function damage(place: Omit<Damage, 'error'>, text: string): Damage {
  const message = `${place.file} is damaged at byte ${place.offset}: ${text}. Check the disk.`;
  return { ...place, error: new ObserverError('HO_STORE_DAMAGED', message) };
}
