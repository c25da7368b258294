import { readFileSync } from 'node:fs';
import type { HookRecord } from '@hermes-observer/core';
import { ObserverTracerProvider, observerResource, SpanBridge } from '@hermes-observer/otel';
import { SpanFeed } from '../traces/span-feed.js';
import type { SpanAttributes, SpanInput } from '../traces/span-source.js';
import { TraceStore } from '../traces/trace-store.js';
import { createLooks } from './looks.js';
import { screen } from './screen.js';
import { lineText } from './screen-line.js';
import { firstState, type Size, type State } from './state.js';
import { StoreSource } from './store-source.js';
import { TurnModel } from './turn-model.js';

const RECORDINGS = new URL('../../../../conformance/recordings/0.22.2/', import.meta.url);
export const SIZE: Size = { columns: 80, rows: 24 };

/** Turns of recordings of real agents. */
export function recorded(...names: string[]): TraceStore {
  const store = new TraceStore();
  const feed = new SpanFeed(store);
  const tracerProvider = new ObserverTracerProvider({
    resource: observerResource('agents', {}),
    spanProcessors: [feed],
  });
  const bridge = new SpanBridge({ tracerProvider, capture: 'redacted' });
  for (const name of names) {
    const lines = readFileSync(new URL(`${name}.ndjson`, RECORDINGS), 'utf8')
      .trim()
      .split('\n');
    for (const text of lines) bridge.handleRecord(JSON.parse(text) as HookRecord);
    bridge.closeAll();
  }
  feed.flush();
  return store;
}

export const hex = (number: number, length = 16) => number.toString(16).padStart(length, '0');

interface Given {
  readonly trace?: number;
  readonly parent?: number;
  readonly name?: string;
  /** Seconds after the first. */
  readonly start?: number;
  /** `undefined`: it runs. */
  readonly end?: number | undefined;
  readonly attributes?: SpanAttributes;
}

/** What runs has done so for 100 s. */
export const FIRST_SECOND = Math.floor(Date.now() / 1000) - 100;

export function span(id: number, given: Given = {}): SpanInput {
  const { trace = 1, parent, name = `span ${id}`, start = id, attributes = {} } = given;
  const end = 'end' in given ? given.end : start + 1;
  return {
    traceId: hex(trace, 32),
    spanId: hex(id),
    parentId: parent === undefined ? '' : hex(parent),
    end: end === undefined ? undefined : [FIRST_SECOND + end, 0],
    source: {
      name,
      kind: 0,
      startTime: [FIRST_SECOND + start, 0],
      status: { code: 0 },
      attributes,
      events: [],
      links: [],
      resource: { attributes: {} },
      instrumentationScope: { name: 'test' },
    },
  };
}

export function storeOfSpans(...spans: readonly SpanInput[]): TraceStore {
  const store = new TraceStore();
  for (const one of spans) store.add(one, 'received');
  return store;
}

/** The list as it is read from a store. */
export async function listOf(store: TraceStore): Promise<State> {
  const state = firstState(false);
  const { rows, next, total } = await new StoreSource(store).turns({ text: '', outcome: '' }, 1_000, null);
  return { ...state, list: { ...state.list, rows, next, total, isLoaded: true } };
}

/** The state with what a source would have read for it. */
export async function filled(state: State, store: TraceStore): Promise<State> {
  const source = new StoreSource(store);
  const { turn, span: open } = state;
  if (turn === undefined) return state;
  const model = turn.model ?? new TurnModel(await source.turn(turn.trace));
  const detail = open === undefined ? undefined : (open.detail ?? (await source.span(turn.trace, open.id)));
  return { ...state, turn: { ...turn, model }, span: open === undefined ? undefined : { ...open, detail } };
}

export const modelOf = async (store: TraceStore, trace = 1) =>
  new TurnModel(await new StoreSource(store).turn(hex(trace, 32)));

/** What a screen says, without colours. */
export function shown(state: State, size = SIZE, now = (FIRST_SECOND + 100) * 1_000): string[] {
  const looks = createLooks(false);
  return screen(state, size, now).map((line) => lineText(line, size.columns, looks));
}
