/** The known name that a wrong one most likely means; `undefined` where none is near. */
export function nearest(wrong: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(wrong.length / 3)) + 1;
  const lower = fold(wrong);
  for (const name of known) {
    const distance = editDistance(lower, fold(name), least);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

/** ` Did you mean \`x\`?`, or a list of what there is. */
export function proposal(wrong: string, known: readonly string[]): string {
  const near = nearest(wrong, known);
  return near === undefined ? ` There are: ${known.join(', ')}.` : ` Did you mean \`${near}\`?`;
}

const fold = (name: string): string => name.slice(0, 64).toLowerCase().replace(/[-_]/g, '');

/** Edits (a letter more, less, other, or two swapped) from one to the other; at least `limit` where it is that or more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? limit;
}
