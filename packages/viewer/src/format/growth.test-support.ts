/** Rounds until it is believed that it is so, and not that the machine was busy. */
const ROUNDS = 12;

/**
 * How many times as long the large work takes as the small one, by the fastest round of each. What else
 * the machine does adds to both: a growth that is not below `most` is measured again, some rounds long.
 */
export function growth(small: () => void, large: () => void, most: number): number {
  let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    few = Math.min(few, millisOf(small));
    many = Math.min(many, millisOf(large));
    if (round > 1 && many / few < most) break;
  }
  return many / few;
}

function millisOf(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
