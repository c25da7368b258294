/** Fewest columns that rows are made for. */
const LEAST = 20;

/**
 * A line as rows of a terminal of `width` columns, each behind a bar: a terminal that broke the line itself would begin a row with
 * text of a call, which could look like the question. Whatever is not ASCII is counted as two columns wide.
 */
export function barRows(line: string, indent: string, width: number): string[] {
  const room = Math.max(LEAST, width) - 2 - indent.length;
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const character of line) {
    const columns = character <= '~' ? 1 : 2;
    if (used + columns > room) {
      rows.push(row);
      row = '';
      used = 0;
    }
    row += character;
    used += columns;
  }
  return [...rows, row].map((text, i) => `${i === 0 ? '| ' : '|>'}${indent}${text}`);
}
