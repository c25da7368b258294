/** Numbers of a version; without those that come before it is released, `undefined`. */
const numbersOf = (version: string): number[] | undefined => {
  const found = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(version);
  return found === null ? undefined : [1, 2, 3].map((i) => Number(found[i] ?? 0));
};

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, i) => number !== other[i]);
  return at < 0 ? 0 : (one[at] as number) - (other[at] as number);
}

/** Whether a released version is in a range like `>=7.0.0 <8`, or `>=6.49.0 <7 || >=7.59.0 <8`. */
export function isInRange(version: string, range: string): boolean {
  const numbers = numbersOf(version);
  if (numbers === undefined) return false;
  return range.split('||').some((part) =>
    part
      .trim()
      .split(/\s+/)
      .every((bound) => {
        const [, sign, of] = /^(>=|<)(.+)$/.exec(bound) ?? [];
        const limit = numbersOf(of ?? '');
        if (limit === undefined) return false;
        return sign === '<' ? compare(numbers, limit) < 0 : compare(numbers, limit) >= 0;
      }),
  );
}
