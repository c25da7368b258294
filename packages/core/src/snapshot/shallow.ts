/** Levels of one value that readers take: parsers in other languages end at 200 and less, and what is around it has levels too. */
const MOST_LEVELS = 64;
/** Stands for what is nested deeper. */
const TOO_DEEP = '[nested too deep]';

/** A value out of JSON, with a mark in the place of what is nested too deep: the same value where nothing is. */
export function shallow(value: unknown): unknown {
  return isDeeper(value, MOST_LEVELS) ? cutBelow(value, MOST_LEVELS) : value;
}

/** Whether a value out of JSON has more levels than readers take. */
export const isTooDeep = (value: unknown): boolean => isDeeper(value, MOST_LEVELS);

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeper(item, levels - 1));
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => cutBelow(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutBelow(item, levels - 1)]));
}
