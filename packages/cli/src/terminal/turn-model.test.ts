import { describe, expect, it } from 'vitest';
import { changeOf, columnsOf } from '../traces/columns.js';
import { growth } from '../traces/growth.test-support.js';
import type { Trace } from '../traces/trace.js';
import type { TurnChange } from '../wire.js';
import { FIRST_SECOND, hex, modelOf, recorded, span, storeOfSpans } from './scene.test-support.js';
import { spanOrder } from './span-order.js';
import { TurnModel } from './turn-model.js';
import { visibleSpans } from './visible-spans.js';

const NONE = { folded: new Set<string>(), text: '', only: '' } as const;
const names = (model: TurnModel, filter = {}) =>
  Array.from(visibleSpans(model, { ...NONE, ...filter }), (one) => model.name(one));

describe('the order of spans', () => {
  it('is that of the tree, children by start', () => {
    const { order, depth, endPlace } = spanOrder([-1, 0, 0, 1], [0, 5, 2, 6]);
    expect([[...order], [...depth], [...endPlace]]).toEqual([
      [0, 2, 1, 3],
      [0, 1, 1, 2],
      [4, 4, 2, 4],
    ]);
  });

  it('takes rings, itself as parent, and parents that are not there', () => {
    const { order, depth } = spanOrder([1, 0, 2, 99, -5], [3, 1, 0, 2, 4]);
    expect([...order].sort()).toEqual([0, 1, 2, 3, 4]);
    expect([...order]).toEqual([2, 3, 4, 1, 0]);
    expect([...depth]).toEqual([1, 0, 0, 0, 0]);
  });

  it('is found in linear time, deep and wide', () => {
    const work = (count: number) => {
      const starts = Array.from({ length: count }, (_, i) => i);
      const deep = starts.map((i) => i - 1);
      const wide = starts.map((i) => (i === 0 ? -1 : 0));
      return () => {
        expect(spanOrder(deep, starts).depth[count - 1]).toBe(count - 1);
        expect(spanOrder(wide, starts).order[count - 1]).toBe(count - 1);
      };
    };
    // Five times as much; were it squared, 25 times as long.
    expect(growth(work(20_000), work(100_000), 15)).toBeLessThan(15);
  });
});

describe('a turn', () => {
  it('is kept up to date by changes, as if it had been read anew', () => {
    const store = storeOfSpans(span(1, { end: undefined }), span(2, { parent: 1, end: undefined }));
    const trace = store.all()[0] as Trace;
    const model = new TurnModel(columnsOf(trace, 5e9));
    const { version } = store;
    store.add(span(2, { parent: 1, end: 4, name: 'ended' }), 'received');
    store.add(span(3, { parent: 1, name: 'new' }), 'received');
    store.add(span(4, { parent: 3, name: 'ended' }), 'received');
    const changed = trace.spans.filter((one) => one.version > version);
    const change = changeOf(trace, changed, version);
    expect(change).toBeDefined();
    expect(model.apply(change as TurnChange)).toBe(true);
    expect(names(model)).toEqual(['span 1', 'ended', 'new', 'ended']);
    expect(model.spans.end.map((end) => end / 1e9)).toEqual([-1e-9, 3, 3, 4]);
    expect(model.row.running).toBe(1);
    // The same again changes nothing, but for where the time went.
    expect(model.apply(change as TurnChange)).toBe(true);
    expect(model.count).toBe(4);
  });

  it('is told where the time went, also by itself and later', async () => {
    const store = storeOfSpans(span(0, { end: undefined }), span(1, { parent: 0, end: undefined }));
    const trace = store.all()[0] as Trace;
    const model = await modelOf(store);
    const { version } = store;
    store.add(span(1, { parent: 0, end: 30 }), 'received');
    const changed = trace.spans.filter((one) => one.version > version);
    const before = model.path;
    expect(model.apply(changeOf(trace, changed, version) as TurnChange)).toBe(true);
    expect(model.path).toBe(before);
    expect(model.apply(changeOf(trace, [], store.version, 40e9) as TurnChange)).toBe(true);
    expect(model.path).toEqual(columnsOf(trace, 40e9).path);
    expect(model.segmentsOf(1, 40e9)).toEqual([[1, 1e9, 30e9, expect.any(Number)]]);
  });

  it('is to be read anew after a gap, another base, or when it is told so', async () => {
    const store = storeOfSpans(span(1, { end: undefined }), span(2, { parent: 1 }));
    const trace = store.all()[0] as Trace;
    const model = await modelOf(store);
    store.add(span(3, { parent: 1 }), 'received');
    const { version } = store;
    store.add(span(4, { parent: 1 }), 'received');
    expect(model.apply(changeOf(trace, trace.spans.slice(3), version) as TurnChange)).toBe(false);
    expect(model.apply({ reload: true })).toBe(false);
    expect(model.count).toBe(2);
  });

  it('grows where it is held up while it runs', async () => {
    const store = storeOfSpans(span(0, { end: undefined }), span(1, { parent: 0, end: undefined }));
    const model = await modelOf(store);
    const now = model.nowAt((FIRST_SECOND + 50) * 1_000);
    expect(now).toBe(50e9);
    const last = model.path.segments.at(-1);
    expect(model.segmentsOf(last?.[0] as number, Number.MAX_SAFE_INTEGER).at(-1)?.[2]).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('what shows of a turn', () => {
  it('is all but what is folded, or what passes with all above it', async () => {
    const model = await modelOf(
      storeOfSpans(
        span(1, { name: 'root' }),
        span(2, { parent: 1, name: 'agent' }),
        span(3, {
          parent: 2,
          name: 'execute_tool Needle',
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'hermes.tool.status': 'blocked',
            'hermes.tool.blocked_by': 'a rule',
          },
        }),
        span(4, { parent: 1, name: 'other', end: undefined }),
      ),
    );
    expect(names(model)).toEqual(['root', 'agent', 'execute_tool Needle', 'other']);
    expect(names(model, { folded: new Set([hex(2)]) })).toEqual(['root', 'agent', 'other']);
    for (const filter of [{ text: 'needle' }, { text: 'A RULE' }, { only: 'blocked' as const }]) {
      expect(names(model, { ...filter, folded: new Set([hex(2)]) })).toEqual(['root', 'agent', 'execute_tool Needle']);
    }
    expect(names(model, { only: 'running' as const })).toEqual(['root', 'other']);
    expect(names(model, { text: 'nowhere' })).toEqual([]);
  });

  it('is whole for turns of real agents', () => {
    const trace = recorded('n-delegate-nested-sync').all()[0] as Trace;
    const model = new TurnModel(columnsOf(trace, 0));
    const { order, depth } = model.order;
    expect(order).toHaveLength(trace.spans.length);
    // As the service gives it out, which is depth-first already.
    expect([...order]).toEqual([...order.keys()]);
    expect(Math.max(...depth)).toBe(5);
  });
});
