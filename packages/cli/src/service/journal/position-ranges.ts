/** Positions of records as ranges: first and count in turn, rising, without overlap. */
export type Ranges = readonly number[];

/** Ranges of positions in any order. */
export function rangesOf(positions: Iterable<number>, ...others: readonly Ranges[]): number[] {
  const all: [number, number][] = [];
  for (const position of positions) all.push([position, position + 1]);
  for (const ranges of others) {
    for (let i = 0; i < ranges.length; i += 2) {
      const first = ranges[i] as number;
      all.push([first, first + (ranges[i + 1] as number)]);
    }
  }
  all.sort(([a], [b]) => a - b);
  const made: number[] = [];
  for (const [first, end] of all) {
    const last = made.length - 2;
    const behind = last < 0 ? -1 : (made[last] as number) + (made[last + 1] as number);
    if (first > behind) made.push(first, end - first);
    else made[last + 1] = Math.max(behind, end) - (made[last] as number);
  }
  return made;
}

/** Whether a position is in ranges. */
export function isIn(ranges: Ranges, position: number): boolean {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[2 * middle] as number) <= position) low = middle + 1;
    else high = middle;
  }
  const at = 2 * (low - 1);
  return at >= 0 && position < (ranges[at] as number) + (ranges[at + 1] as number);
}
