import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpanRow } from './span-row.js';
import { buildForest, type TreeNode } from './tree.js';

function row(spanId: string, parentSpanId?: string, start = 0, traceId = 't'): SpanRow {
  const none = { attributes: {}, events: [], links: [], statusMessage: undefined, failed: false };
  return { traceId, spanId, parentSpanId, name: spanId, start: [1, start], end: [2, 0], ...none };
}

const outline = (nodes: readonly TreeNode[]) => nodes.map(({ row, depth }) => `${'.'.repeat(depth)}${row.spanId}`);
const only = (rows: SpanRow[]) => outline(buildForest(rows).traces[0]?.nodes ?? []);

describe('buildForest', () => {
  it('nests by parent, in order of start, whatever the order of rows', () => {
    expect(only([row('c', 'a', 3), row('d', 'b', 4), row('b', 'a', 2), row('a', undefined, 1)])).toEqual([
      'a',
      '.b',
      '..d',
      '.c',
    ]);
  });

  it('puts the root before spans whose parent is missing, however early they start', () => {
    const rows = [row('orphan', 'gone', 0), row('root', undefined, 5), row('below', 'orphan', 7)];
    expect(only(rows)).toEqual(['root', 'orphan', '.below']);
  });

  it('takes a span that is its own parent as a root', () => {
    expect(only([row('a', 'a')])).toEqual(['a']);
  });

  it('cuts a cycle at its earliest span and keeps what hangs under it', () => {
    const rows = [row('early leaf', 'b', 0), row('b', 'a', 2), row('c', 'b', 3), row('a', 'c', 1)];
    expect(only(rows)).toEqual(['a', '.b', '..early leaf', '..c']);
  });

  it('keeps spans without ids', () => {
    expect(only([row(''), row(''), row('x', 'y')])).toEqual(['', '', 'x']);
  });

  it('orders traces by start and counts repeated spans', () => {
    const rows = [row('b', undefined, 5, 'late'), row('a', undefined, 1, 'early'), row('b', undefined, 5, 'late')];
    const { traces, repeated } = buildForest(rows);
    expect(traces.map(({ traceId }) => traceId)).toEqual(['early', 'late']);
    expect(repeated).toBe(1);
  });

  it('prefers the ended one of two snapshots of a span', () => {
    const { traces } = buildForest([{ ...row('a'), end: undefined }, row('a')]);
    expect(traces[0]?.nodes.map((node) => node.row.end)).toEqual([[2, 0]]);
  });

  it('shows each span once, for any parents', () => {
    const ids = fc.integer({ min: 0, max: 12 });
    const links = fc.array(fc.tuple(ids, fc.option(ids, { nil: undefined }), ids), { maxLength: 30 });
    fc.assert(
      fc.property(links, (spans) => {
        const rows = spans.map(([id, parent, start], i) => ({
          ...row(`${id}`, parent === undefined ? undefined : `${parent}`, start),
          name: `${i}`,
        }));
        const shown = buildForest(rows).traces.flatMap(({ nodes }) => nodes.map((node) => node.row.name));
        expect(shown.sort()).toEqual(rows.map(({ name }) => name).sort());
      }),
    );
  });

  it('places a chain of 20,000 spans without recursion', () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => row(`${i}`, i === 0 ? undefined : `${i - 1}`, i));
    expect(buildForest(rows).traces[0]?.nodes.at(-1)?.depth).toBe(19_999);
  });

  it('cuts thousands of cycles', () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => row(`${i}`, `${i ^ 1}`, i));
    expect(buildForest(rows).traces[0]?.nodes).toHaveLength(20_000);
  });
});
