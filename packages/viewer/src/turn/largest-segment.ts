import type { CriticalPath, PathSegment } from '../api/turn-answer.js';

/** The longest stretch of a part on the critical path; of several the first. */
export function largestSegment({ segments }: CriticalPath, part: number): PathSegment | undefined {
  let largest: PathSegment | undefined;
  for (const segment of segments) {
    if (segment[3] !== part || segment[0] < 0) continue;
    if (largest === undefined || segment[2] - segment[1] > largest[2] - largest[1]) largest = segment;
  }
  return largest;
}
