import type { CriticalPath } from '../api/turn-answer.js';
import { PARTS } from '../api/turn-answer.js';

/**
 * What the last stretch of a running turn has grown by since the path was made, ns: until something begins or ends, what
 * held the turn up goes on doing so.
 */
export function pathGrowth({ segments }: CriticalPath, now: number): number {
  const last = segments.at(-1);
  return last === undefined ? 0 : Math.max(0, now - last[2]);
}

/** Parts of the time in the order of `PARTS`, ns, of a running turn up to now. */
export function partsUntil(path: CriticalPath, isRunning: boolean, now: number): number[] {
  const parts: number[] = PARTS.map((part) => path.parts[part] ?? 0);
  const last = path.segments.at(-1);
  if (isRunning && last !== undefined) parts[last[3]] = (parts[last[3]] ?? 0) + pathGrowth(path, now);
  return parts;
}
