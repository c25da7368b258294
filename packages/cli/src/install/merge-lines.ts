import { diffArrays } from 'diff';

/** Lines `start` to `end` of the base became `lines`. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * A text with the changes of two others to it, as byte for byte as they made them. `undefined` where both changed the same
 * lines, or put something in at the same place.
 */
export function mergeLines(base: string, one: string, other: string): string | undefined {
  const lines = linesOf(base);
  const changes = [...changesTo(lines, one), ...changesTo(lines, other)].sort(
    (a, b) => a.start - b.start || a.end - b.end,
  );
  const result: string[] = [];
  let at = 0;
  let last: Change | undefined;
  for (const change of changes) {
    const isSamePlace = last !== undefined && last.start === change.start && last.end === change.end;
    if (change.start < at || isSamePlace) return undefined;
    result.push(...lines.slice(at, change.start), ...change.lines);
    at = change.end;
    last = change;
  }
  return [...result, ...lines.slice(at)].join('');
}

/** With their ends. */
const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function changesTo(base: readonly string[], text: string): Change[] {
  const changes: Change[] = [];
  let at = 0;
  for (const { value, added, removed } of diffArrays([...base], linesOf(text))) {
    const last = changes.at(-1);
    if (!added && !removed) at += value.length;
    else if (last !== undefined && last.end === at) {
      changes[changes.length - 1] = {
        start: last.start,
        end: removed ? at + value.length : at,
        lines: added ? [...last.lines, ...value] : last.lines,
      };
      if (removed) at += value.length;
    } else {
      changes.push({ start: at, end: removed ? at + value.length : at, lines: added ? value : [] });
      if (removed) at += value.length;
    }
  }
  return changes;
}
