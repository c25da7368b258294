import { expect, it } from 'vitest';
import type { TraceRow } from '../traces/trace-row.js';
import { compareRows, mergeRows } from './turn-list.js';

const row = (trace: string, start: number, duration: number | null = 1) =>
  ({ trace, start: `18000000000000000${String(start).padStart(2, '0')}`, duration }) as unknown as TraceRow;
const traces = (rows: readonly TraceRow[]) => rows.map(({ trace }) => trace).join('');

it('rows stand live ones first, then the newest, also nanoseconds apart', () => {
  const rows = [row('a', 1), row('b', 3), row('c', 2), row('d', 0, null), row('e', 3)];
  expect(traces(rows.sort(compareRows))).toBe('dbeca');
});

it('changed rows take the place of the old, new ones their own; older than what is read wait for their page', () => {
  const rows = [row('a', 5, null), row('b', 4), row('c', 2)];
  expect(traces(mergeRows(rows, [row('a', 5), row('d', 3), row('e', 1)], true))).toBe('abdc');
  expect(traces(mergeRows(rows, [row('e', 1)], false))).toBe('abce');
  expect(traces(mergeRows(rows, [row('e', 1, null)], true))).toBe('aebc');
});
