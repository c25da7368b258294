import { distance } from 'fastest-levenshtein';

/** The known name that was most likely meant, if one is near enough. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase().replaceAll('-', '_');
  let best: string | undefined;
  let least = Math.max(2, Math.ceil(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const steps = distance(wanted, candidate);
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}
