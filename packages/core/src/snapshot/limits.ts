/** Bounds of a copy. What lies beyond one is left out and marked; see `snapshot`. */
export interface SnapshotLimits {
  /** Levels of arrays and objects. Deeper values become `[cut: depth]`. At most 256. @default 16 */
  depth?: number;
  /** Items of one array, keys of one object. @default 1000 */
  breadth?: number;
  /** UTF-16 units of one string, the cut mark included. @default 65536 */
  string?: number;
  /**
   * Bytes of the whole copy: keys, strings (UTF-8, before JSON escapes), numbers and punctuation. Cut marks may add
   * some 64 bytes a level. @default 262144
   */
  bytes?: number;
}

/** Recursion is bounded by this, whatever `SnapshotLimits.depth` says. */
const DEEPEST = 256;

export const DEFAULT_LIMITS: Readonly<Required<SnapshotLimits>> = Object.freeze({
  depth: 16,
  breadth: 1000,
  string: 64 * 1024,
  bytes: 256 * 1024,
});

/** The limits with defaults for what is absent, negative or not a number. */
export function resolveLimits(limits: SnapshotLimits | undefined): Readonly<Required<SnapshotLimits>> {
  if (limits === undefined) return DEFAULT_LIMITS;
  return {
    depth: Math.min(DEEPEST, usable(limits.depth, DEFAULT_LIMITS.depth)),
    breadth: usable(limits.breadth, DEFAULT_LIMITS.breadth),
    string: usable(limits.string, DEFAULT_LIMITS.string),
    bytes: usable(limits.bytes, DEFAULT_LIMITS.bytes),
  };
}

function usable(value: number | undefined, fallback: number): number {
  return typeof value === 'number' && value >= 0 ? value : fallback;
}
