import { readFileSync } from 'node:fs';
import type { HookRecord } from '@hermes-observer/core';
import { CostSpanProcessor } from '@hermes-observer/cost';
import { ObserverTracerProvider, observerResource, SpanBridge } from '@hermes-observer/otel';
import { describe, expect, it } from 'vitest';
import { SpanFeed } from './span-feed.js';
import { SPAN_KIND } from './span-kind.js';
import type { StoredSpan } from './stored-span.js';
import { Tally } from './tally.js';
import type { Trace } from './trace.js';
import { rowOf } from './trace-row.js';
import { TraceStore } from './trace-store.js';

const RECORDINGS = new URL('../../../../conformance/recordings/0.22.2/', import.meta.url);

/** The row of a recording, with prices for one of its models. */
function rowWith(name: string, model: string, cacheRead?: number) {
  const store = new TraceStore();
  const feed = new SpanFeed(store);
  const bridge = new SpanBridge({
    tracerProvider: new ObserverTracerProvider({
      resource: observerResource('agents', {}),
      spanProcessors: [new CostSpanProcessor({ prices: [{ model, input: 2, output: 8, cacheRead }] }), feed],
    }),
  });
  const lines = readFileSync(new URL(`${name}.ndjson`, RECORDINGS), 'utf8')
    .trim()
    .split('\n');
  for (const line of lines) {
    bridge.handleRecord(JSON.parse(line) as HookRecord);
    // What runs is counted, and taken out again when it has changed.
    feed.flush();
  }
  bridge.closeAll();
  feed.flush();
  return rowOf(store.all()[0] as Trace).cost;
}

describe('the cost of a turn', () => {
  it('is the sum over its requests', () => {
    // (1541 + 952) × 2 + 896 × 0.5 + (19 + 11) × 8
    expect(rowWith('c-parallel-tools', 'mock-large*', 0.5)).toEqual({
      usd: expect.closeTo(0.005674, 12),
      isEstimated: false,
      unknown: 0,
    });
  });

  it('says what is assumed in it, and what is not in it', () => {
    expect(rowWith('c-parallel-tools', 'mock-large*')?.isEstimated).toBe(true);
    expect(rowWith('h-provider-fallback', 'mock-backup*', 0.5)).toEqual({
      usd: expect.closeTo(0.001978, 12),
      isEstimated: false,
      unknown: 1,
    });
    expect(rowWith('c-parallel-tools', 'other')).toEqual({ usd: null, isEstimated: false, unknown: 2 });
  });
});

it('a turn whose requests tell of no cost has none', () => {
  const store = new TraceStore();
  const feed = new SpanFeed(store);
  const bridge = new SpanBridge({
    tracerProvider: new ObserverTracerProvider({ resource: observerResource('agents', {}), spanProcessors: [feed] }),
  });
  bridge.handleRecord({ hook: 'pre_llm_call', time_unix_nano: '1790000000000000000', payload: { turn_id: 't' } });
  bridge.closeAll();
  feed.flush();
  expect(rowOf(store.all()[0] as Trace).cost).toBeNull();
});

it('what a span has added is taken out again before it changes', () => {
  const tally = new Tally();
  const chat = (attributes: object) =>
    ({ kind: SPAN_KIND.request, flags: 0, isRunning: false, source: { attributes } }) as unknown as StoredSpan;
  const spans = [
    chat({ 'hermes.cost.status': 'exact', 'hermes.cost.usd': 2 }),
    chat({ 'hermes.cost.status': 'estimated', 'hermes.cost.usd': 1 }),
    chat({ 'hermes.cost.status': 'unknown' }),
  ];
  for (const span of spans) tally.count(span, 1);
  expect(tally.cost).toEqual({ sum: 3, known: 2, estimated: 1, unknown: 1 });
  for (const span of spans) tally.count(span, -1);
  expect(tally.cost).toEqual({ sum: 0, known: 0, estimated: 0, unknown: 0 });
});
