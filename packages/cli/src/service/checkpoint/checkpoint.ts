import type { SavedAssembly } from '@hermes-observer/otel';
import type { SavedMeters } from '@hermes-observer/signals';
import type { SavedDrops } from '../drop-totals.js';
import type { SavedProducer } from '../intake/producers.js';

/** How far all has come, and what a recovery needs. */
export interface Checkpoint {
  readonly version: 1;
  /** All records before this position of the journal were traced, and their spans are in the spools. */
  readonly position: number;
  /** The journal is needed from here on. */
  readonly from: number;
  /** First positions and counts, in turn, of the records before `position` that are handled again. */
  readonly needed: readonly number[];
  /** File of the records before `from` that are among these. */
  readonly held?: string;
  readonly assembly: SavedAssembly;
  readonly producers: readonly SavedProducer[];
  /** The figures of producers are of the records before this position. Absent in older ones: then of those before `position`. */
  readonly producersUpTo?: number;
  /** What was given up since the data folder was made. Absent in older ones. */
  readonly drops?: SavedDrops;
  /** What is counted of the spans that ended before `position`. Absent where nothing is. */
  readonly metrics?: SavedMeters;
  /** Cursors of the spools, by name. */
  readonly spools: Readonly<Record<string, number>>;
}
