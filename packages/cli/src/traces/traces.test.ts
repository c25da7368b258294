import { readdirSync, readFileSync } from 'node:fs';
import type { HookRecord } from '@hermes-observer/core';
import { type Capture, ObserverTracerProvider, observerResource, SpanBridge } from '@hermes-observer/otel';
import { describe, expect, it } from 'vitest';
import { changeOf, columnsOf } from './columns.js';
import { PART_NAMES } from './critical-path.js';
import { growth } from './growth.test-support.js';
import { detailOf } from './span-detail.js';
import { FLAG } from './span-facts.js';
import { SpanFeed } from './span-feed.js';
import type { SpanInput, SpanSource } from './span-source.js';
import type { StoredSpan } from './stored-span.js';
import type { Trace } from './trace.js';
import { rowOf } from './trace-row.js';
import { TraceStore } from './trace-store.js';
import { queryTurns } from './turn-query.js';

const RECORDINGS = new URL('../../../../conformance/recordings/0.22.2/', import.meta.url);
const names = readdirSync(RECORDINGS).filter((name) => name.endsWith('.ndjson'));
const recordsOf = (name: string) =>
  readFileSync(new URL(name, RECORDINGS), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HookRecord);

function fed(capture: Capture = 'none') {
  const store = new TraceStore();
  const feed = new SpanFeed(store);
  const tracerProvider = new ObserverTracerProvider({
    resource: observerResource('agents', {}),
    spanProcessors: [feed],
  });
  return { store, feed, bridge: new SpanBridge({ tracerProvider, capture }) };
}

function played(name: string, capture: Capture = 'none') {
  const { store, feed, bridge } = fed(capture);
  for (const record of recordsOf(`${name}.ndjson`)) bridge.handleRecord(record);
  bridge.closeAll();
  feed.flush();
  return store;
}

const only = (store: TraceStore) => store.all()[0] as Trace;
const sum = (trace: Trace) => {
  const { path } = columnsOf(trace, 0);
  return PART_NAMES.reduce((total, name) => total + path.parts[name], 0);
};

function span(
  id: number | string,
  more: Partial<SpanInput> & { start?: [number, number]; attributes?: SpanSource['attributes'] } = {},
): SpanInput {
  const { start = [1_000, 0], attributes = {}, ...rest } = more;
  const spanId = typeof id === 'string' ? id : id.toString(16).padStart(16, '0');
  const source: SpanSource = {
    name: `span ${id}`,
    kind: 0,
    startTime: start,
    status: { code: 0 },
    attributes,
    events: [],
    links: [],
    resource: { attributes: { 'service.name': 'other' } },
    instrumentationScope: { name: 'x' },
  };
  return { traceId: 't1', spanId, parentId: '', end: [1_001, 0], source, ...rest };
}

describe('every recording', () => {
  it.each(names)('%s: rows, columns and path agree', (name) => {
    const store = played(name.replace('.ndjson', ''));
    expect(store.traces).toBeGreaterThan(0);
    for (const trace of store.all()) {
      const row = rowOf(trace);
      const { spans, path, texts } = columnsOf(trace, 0);
      expect(row.duration).not.toBeNull();
      expect(sum(trace)).toBe(row.duration);
      expect(path.segments.every(([, from, to]) => from < to)).toBe(true);
      expect(spans.id).toHaveLength(row.spans);
      expect(spans.parent.every((parent, i) => parent < i)).toBe(true);
      const all = [...spans.name, ...spans.who, ...spans.label];
      expect(all.every((text) => text >= -1 && text < texts.length)).toBe(true);
      expect(spans.start.every((start, i) => start >= 0 && (spans.end[i] as number) >= start)).toBe(true);
      // What is kept up span by span is what a walk over all spans finds.
      const count = (kind: number) => spans.kind.filter((one) => one === kind).length;
      expect([row.requests, row.tools]).toEqual([count(2), count(4)]);
      expect(row.blocked).toBe(spans.flags.filter((flags) => flags & FLAG.blocked).length);
      expect(row.errors).toBe(spans.flags.filter((flags) => flags & FLAG.error).length);
    }
  });
});

describe('a row', () => {
  it('says which call was blocked, by whom and why', () => {
    expect(rowOf(only(played('d-tool-blocked-by-plugin'))).blockedCalls).toMatchObject([
      { name: 'terminal', by: 'a plugin' },
    ]);
    const [blocked] = rowOf(only(played('d-tool-blocked-by-plugin', 'full'))).blockedCalls;
    expect(blocked?.why).toMatch(/\w/);
    const trace = only(played('p2-approval-deny-tui'));
    const [denied] = rowOf(trace).blockedCalls;
    expect(denied).toMatchObject({ by: 'a person', why: 'recursive delete' });
    // The page of the span says the same.
    const { by, why } = detailOf(trace, trace.find(denied?.span ?? '') as StoredSpan, false);
    expect({ by, why }).toEqual({ by: denied?.by, why: denied?.why });
  });

  it('says which call waits for a person, and why where that was captured', () => {
    const waiting = (capture: Capture) => {
      const { store, feed, bridge } = fed(capture);
      const records = recordsOf('p1-approval-once-tui.ndjson');
      const asked = records.findIndex(({ hook }) => hook === 'pre_approval_request');
      for (const record of records.slice(0, asked + 1)) bridge.handleRecord(record);
      feed.flush();
      const during = rowOf(only(store));
      for (const record of records.slice(asked + 1)) bridge.handleRecord(record);
      feed.flush();
      expect(rowOf(only(store))).toMatchObject({ waitsForHuman: false, waitingCalls: [] });
      return during;
    };
    expect(waiting('full')).toMatchObject({
      waitsForHuman: true,
      waitingCalls: [{ name: 'terminal', why: 'recursive delete', request: null }],
    });
    expect(waiting('none').waitingCalls).toMatchObject([{ name: 'terminal', why: null }]);
  });

  it('has the first words of the person, and tokens, where they are known', () => {
    expect(rowOf(only(played('b-two-sequential-tools'))).excerpt).toBeNull();
    const { excerpt, tokens, agent, model, outcome } = rowOf(only(played('b-two-sequential-tools', 'full')));
    expect(excerpt).toMatch(/\w/);
    expect([agent, outcome, model !== null]).toEqual(['hermes', 'completed', true]);
    expect(tokens.input).toBeGreaterThan(0);
    expect(rowOf(only(played('i5-no-usage'))).tokens).toEqual({ input: null, cached: null, output: null });
  });
});

describe('where the time went', () => {
  it('tells waiting between attempts, people and children', () => {
    expect(columnsOf(only(played('f-retry-after-429')), 0).path.parts.waiting).toBeGreaterThan(1e9);
    expect(columnsOf(only(played('p1-approval-once-tui')), 0).path.parts.human).toBeGreaterThan(0);
    expect(columnsOf(only(played('k-delegate-one-child-sync')), 0).path.parts.children).toBeGreaterThan(0);
  });
});

describe('a turn under way', () => {
  it('is told of span by span, and its sums are those of the end', () => {
    const { store, feed, bridge } = fed();
    const seen: boolean[] = [];
    const followed = new Set<string>();
    store.subscribe({ changed: (_, { id }) => followed.add(id), gone: () => {} });
    for (const record of recordsOf('c-parallel-tools.ndjson')) {
      bridge.handleRecord(record);
      feed.flush();
      const trace = store.all()[0];
      if (trace === undefined) continue;
      const { row, path, spans } = columnsOf(trace, 60e9);
      seen.push(row.outcome === 'running');
      if (row.duration === null) expect(PART_NAMES.reduce((total, name) => total + path.parts[name], 0)).toBe(60e9);
      expect(spans.end.filter((end) => end === -1)).toHaveLength(row.running);
    }
    expect(seen[0]).toBe(true);
    expect(seen.at(-1)).toBe(false);
    const whole = rowOf(only(played('c-parallel-tools')));
    expect(rowOf(only(store))).toEqual(whole);
    expect(followed.size).toBe(whole.spans);
  });

  it('leads to the turns before and behind, and tells who follows it of a new one', () => {
    const store = played('q-two-turns-then-close-and-new');
    const turns = store.all().filter(({ isTurn }) => isTurn);
    const linksOf = (trace: Trace) =>
      columnsOf(trace, 0, store.linkedTo(trace.id)).links.map((link) => [link.relation, link.trace]);
    const [first, second] = turns as [Trace, Trace];
    expect(linksOf(first)).toEqual([['next_turn', second.id]]);
    expect(linksOf(second)[0]).toEqual(['previous_turn', first.id]);
    const told: string[] = [];
    store.subscribe({ changed: (trace) => told.push(trace.id), gone: () => {} });
    const link = {
      context: { traceId: second.id, spanId: '1', traceFlags: 1 },
      attributes: { 'hermes.link': 'session_turn' },
    };
    const { source } = span(9);
    store.add(span(9, { traceId: 'later', source: { ...source, links: [link] } }), 'received');
    expect(told).toEqual(['later', second.id]);
    expect(linksOf(second).at(-1)).toEqual(['background_work', 'later']);
    store.forget([store.find('later') as Trace]);
    expect(linksOf(second)).toHaveLength(linksOf(first).length);
  });

  it('has nothing of a trace that is refused, whether it came before or comes later', () => {
    const store = new TraceStore();
    const gone: string[] = [];
    store.subscribe({ changed: () => {}, gone: ({ id }) => gone.push(id) });
    store.add(span(1, { traceId: 'deleted' }), 'service');
    store.refuse(['deleted', 'unknown']);
    store.add(span(2, { traceId: 'deleted' }), 'service');
    store.add(span(3, { traceId: 'unknown' }), 'service');
    store.add(span(4, { traceId: 'other' }), 'service');
    expect([...store.all()].map(({ id }) => id)).toEqual(['other']);
    expect([store.spans, gone]).toEqual([1, ['deleted']]);
  });

  it('keeps the indices of who follows it, and asks for all again when they do not hold', () => {
    const store = new TraceStore();
    store.add(span(1), 'received');
    store.add(span(3, { parentId: span(1).spanId, start: [1_000, 5] }), 'received');
    const trace = only(store);
    trace.followers = 1;
    const { at, spans } = columnsOf(trace, 0);
    expect(spans.id.map(Number)).toEqual([1, 3]);
    store.add(span(2, { parentId: span(1).spanId, start: [1_000, 2], end: undefined }), 'received');
    const change = changeOf(trace, [trace.find(span(2).spanId) as never], at);
    expect(change?.spans).toMatchObject({ index: [2], parent: [0], end: [-1] });
    expect(columnsOf(trace, 0).spans.id.map(Number)).toEqual([1, 3, 2]);
    store.add(span(4, { parentId: span(5).spanId }), 'received');
    store.add(span(5), 'received');
    expect(changeOf(trace, [], at)).toBeUndefined();
    trace.followers = 0;
    expect(columnsOf(trace, 0).spans.id.map(Number)).toEqual([1, 2, 3, 5, 4]);
  });
});

describe('the bound', () => {
  it('evicts whole ended traces, the oldest first, and never one that runs', () => {
    const store = new TraceStore({ spans: 100, bytes: 2 ** 30 });
    store.add(span(1, { traceId: 'open', start: [1, 0], end: undefined }), 'service');
    for (let i = 0; i < 60; i++) {
      for (let k = 0; k < 3; k++)
        store.add(span(k, { traceId: `t${i}`, start: [100 + i, k], end: [200 + i, 0] }), 'service');
    }
    expect(store.spans).toBeLessThanOrEqual(100);
    expect(
      store
        .all()
        .map(({ id }) => id)
        .slice(0, 1),
    ).toEqual(['open']);
    expect(store.find('t59')?.spans).toHaveLength(3);
    for (const trace of store.all()) if (trace.id !== 'open') expect(trace.spans).toHaveLength(3);
    expect(store.counts.evictedSpans).toBe(181 - store.spans);
    expect(store.find('t0')).toBeUndefined();
  });

  it('goes by bytes too, and leaves out of a trace that is too large alone, which it says', () => {
    const store = new TraceStore({ spans: 50, bytes: 2 ** 30 });
    for (let i = 0; i < 80; i++) store.add(span(i, { end: undefined }), 'service');
    expect([store.spans, only(store).leftOut, store.counts.leftOutSpans]).toEqual([50, 30, 30]);
    expect(columnsOf(only(store), 0).incomplete).toContain('too_many_spans');
    const heavy = new TraceStore({ bytes: 2 ** 20 });
    for (let i = 0; i < 40; i++)
      heavy.add(
        span(i, { traceId: `t${i}`, start: [1_000 + i, 0], attributes: { text: 'x'.repeat(100_000) } }),
        'received',
      );
    expect(heavy.bytes).toBeLessThanOrEqual(2 ** 20 + 101_000);
    expect(heavy.find('t39')).toBeDefined();
  });

  it('never lets spans of other programs that do not end fill it for good', () => {
    const store = new TraceStore({ spans: 10 });
    for (let i = 0; i < 30; i++)
      expect(store.add(span(i, { traceId: `t${i}`, start: [1_000 + i, 0], end: undefined }), 'received')).toBe(true);
  });
});

/** Five times as much takes about five times as long; were it squared, 25 times. */
const LINEAR = 15;

describe('hostile traces', () => {
  const shows = (spans: readonly SpanInput[]) => {
    const store = new TraceStore();
    for (const one of spans) store.add(one, 'received');
    const trace = only(store);
    const made = columnsOf(trace, 1e9);
    expect(made.spans.id).toHaveLength(spans.length);
    expect(new Set(made.spans.id).size).toBe(spans.length);
    expect(made.spans.parent.every((parent, i) => parent < i)).toBe(true);
    expect(Number.isSafeInteger(sum(trace))).toBe(true);
    return made;
  };

  it('have 100,000 children of one span, 50,000 levels, rings, and themselves as parents', () => {
    const children = (length: number) =>
      Array.from({ length }, (_, i) => span(i, { parentId: i === 0 ? '' : span(0).spanId }));
    const levels = (length: number) =>
      Array.from({ length }, (_, i) => span(i, { parentId: i === 0 ? '' : span(i - 1).spanId }));
    for (const [make, most] of [
      [children, 100_000],
      [levels, 50_000],
    ] as const) {
      const [few, many] = [make(most / 5), make(most)];
      expect(
        growth(
          () => shows(few),
          () => shows(many),
          LINEAR,
        ),
      ).toBeLessThan(LINEAR);
    }
    const ring = shows(Array.from({ length: 10 }, (_, i) => span(i, { parentId: span((i + 1) % 10).spanId })));
    expect(ring.spans.parent.filter((parent) => parent === -1)).toHaveLength(1);
    shows([span(1, { parentId: span(1).spanId }), span(''), span('')]);
  });

  it('have times before 1970, after 2100, none, and ends before starts', () => {
    const { spans, row } = shows([
      span(1, { start: [1_800_000_000, 0], end: [1_800_000_010, 0] }),
      span(2, { start: [0, 0], end: [1_800_000_003, 0] }),
      span(3, { start: [1_800_000_005, 0], end: [1_800_000_001, 0] }),
      span(4, { start: [-1_000, 0], end: [-999, 0] }),
      span(5, { start: [9_999_999_999, 0], end: [9_999_999_999, 5] }),
      span(6, { start: [0, 0], end: undefined }),
    ]);
    const faulty = spans.flags.map((flags) => (flags & FLAG.clockFault) !== 0);
    expect(spans.id.flatMap((id, i) => (faulty[i] ? [Number(id)] : [])).sort()).toEqual([2, 3, 4, 5, 6]);
    expect(row.start).toBe('1800000000000000000');
    expect(shows([span(1, { start: [-1_000, 0], end: [-999, 0] })]).row).toMatchObject({
      start: '-1000000000000',
      duration: 1e9,
    });
  });

  it('have texts of 5 MB, cut unless all is wanted', () => {
    const store = new TraceStore();
    store.add(span(1, { attributes: { text: 'x'.repeat(5e6), __proto__x: { deep: [1n, Number.NaN] } } }), 'received');
    const trace = only(store);
    const [stored] = trace.spans;
    const detail = detailOf(trace, stored as never, false);
    expect([(detail.attributes.text as string).length, detail.truncated]).toEqual([262_144, true]);
    expect(JSON.parse(JSON.stringify(detailOf(trace, stored as never, true).attributes)).__proto__x).toEqual({
      deep: ['1', 'NaN'],
    });
    const short = new TraceStore();
    short.add(span(1, { attributes: { text: 'x' } }), 'received');
    // What is long is not looked at.
    const columns = (of: Trace) => () => {
      for (let i = 0; i < 200; i++) columnsOf(of, 0);
    };
    expect(growth(columns(only(short)), columns(trace), LINEAR)).toBeLessThan(LINEAR);
  });
});

describe('the list', () => {
  const store = new TraceStore();
  for (let i = 0; i < 250; i++) {
    const attributes = {
      'gen_ai.operation.name': i % 2 ? 'execute_tool' : 'chat',
      'gen_ai.tool.name': i % 2 ? 'grep' : undefined,
      note: i === 77 ? 'The Needle (here)' : 'hay',
    };
    store.add(
      span(1, { traceId: `t${i}`, start: [1_000 + i, 0], end: i === 5 ? undefined : [2_000, 0], attributes }),
      'received',
    );
  }

  it('has what runs on top, then the newest first, page by page', async () => {
    const seen: string[] = [];
    let before: string | undefined;
    for (;;) {
      const page = await queryTurns(store, { limit: 60, ...(before !== undefined && { before }) });
      expect(page.total).toBe(250);
      seen.push(...page.rows.map(({ trace }) => trace));
      if (page.next === null) break;
      before = page.next;
    }
    expect(seen.slice(0, 3)).toEqual(['t5', 't249', 't248']);
    expect(new Set(seen).size).toBe(250);
  });

  it('is filtered by tool, time, outcome, state and text of any attribute', async () => {
    const found = async (query: Parameters<typeof queryTurns>[1]) =>
      (await queryTurns(store, query)).rows.map(({ trace }) => trace);
    expect(await found({ text: 'needle (HERE' })).toEqual(['t77']);
    expect((await queryTurns(store, { tool: 'grep' })).total).toBe(125);
    expect(await found({ live: true })).toEqual(['t5']);
    expect(await found({ outcome: 'running' })).toEqual(['t5']);
    expect(await found({ from: 1_010_000, to: 1_012_000 })).toEqual(['t11', 't10']);
  });
});
