import { distance } from 'fastest-levenshtein';

/** The known name that was most likely meant, if one is near enough, or the only one that ends with what was written. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase().replaceAll('-', '_');
  let best: string | undefined;
  let least = Math.max(2, Math.ceil(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const steps = distance(wanted, candidate);
    if (steps < least) [best, least] = [candidate, steps];
  }
  const [only, ...others] = known.filter(
    (candidate) => candidate.endsWith(`_${wanted}`) || candidate.endsWith(`.${wanted}`),
  );
  return least > 1 && only !== undefined && others.length === 0 ? only : best;
}
