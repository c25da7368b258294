import { Hub } from '@hermes-observer/core';
import { InMemorySpanExporter, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { createObserver } from '../observer/create-observer.js';
import { rejection, Scene } from './scene.test-support.js';
import { InstrumentedTurn } from './turn.js';

const throwing = (): Record<string, unknown> =>
  new Proxy<Record<string, unknown>>(
    {},
    {
      get: (_target, key) => {
        // Promises look for `then`, with or without us.
        if (key === 'then') return undefined;
        throw new Error(`trap ${String(key)}`);
      },
    },
  );
const cycle: Record<string, unknown> = {};
cycle.self = cycle;

const VALUES: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['NaN', Number.NaN],
  ['a bigint', 10n],
  ['a symbol', Symbol('s')],
  ['a function', () => 1],
  ['a class', class {}],
  ['a proxy that throws', throwing()],
  ['a cycle', cycle],
  ['a huge text', 'x'.repeat(20_000_000)],
  ['a huge list', new Array(1_000_000).fill(0)],
  ['an object without a prototype', Object.create(null)],
  ['an error as a value', new Error('value')],
  ['a frozen object', Object.freeze({ a: 1 })],
  ['a sync generator', [1, 2][Symbol.iterator]()],
];

const THROWN: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a string', 'text'],
  ['a number', 0],
  ['an object', { code: 1 }],
  ['a proxy that throws', throwing()],
  ['a frozen error', Object.freeze(new Error('frozen'))],
  ['an error whose parts throw', Object.defineProperty(new Error('x'), 'name', { get: () => throwing().name })],
];

type Way = (turn: InstrumentedTurn, fn: () => unknown) => Promise<unknown>;
const WAYS: readonly (readonly [string, Way])[] = [
  ['request', (turn, fn) => turn.request({ model: 'm' }, fn)],
  ['attempt', (turn, fn) => turn.request({ model: 'm' }, ({ attempt }) => attempt(fn))],
  ['tool', (turn, fn) => turn.tool({ name: 'a', args: {} }, fn)],
  ['subagent', (turn, fn) => turn.subagent({}, fn)],
  ['approval', (turn, fn) => turn.approval({ patternKey: 'p' }, fn as () => string)],
];

describe.each(['none', 'full'] as const)('with capture %s', (capture) => {
  it.each(VALUES)('passes %s through', async (_name, value) => {
    const { observer } = new Scene({ capture });
    for (const fn of [() => value, async () => value]) {
      expect(Object.is(await observer.turn({}, fn), value)).toBe(true);
      await observer.turn({}, async (turn) => {
        for (const [, way] of WAYS) expect(Object.is(await way(turn, fn), value)).toBe(true);
      });
    }
  });

  it.each(THROWN)('throws %s again', async (_name, error) => {
    const { observer } = new Scene({ capture });
    const thrower = () => {
      throw error;
    };
    for (const fn of [thrower, () => Promise.reject(error)]) {
      expect(Object.is(await rejection(observer.turn({}, fn)), error)).toBe(true);
      await observer.turn({}, async (turn) => {
        for (const [, way] of WAYS) expect(Object.is(await rejection(way(turn, fn)), error)).toBe(true);
      });
    }
  });
});

/** A small agent; returns what it saw. */
async function agent(run: (fn: (turn: InstrumentedTurn) => Promise<string>) => Promise<string>) {
  const calls: string[] = [];
  const answer = await run(async (turn) => {
    calls.push(await turn.request({ model: 'm' }, async () => 'asked'));
    calls.push(await turn.tool({ name: 'a', args: {} }, async () => 'used'));
    calls.push(await turn.subagent({ role: 'leaf' }, async () => 'helped'));
    return 'answer';
  });
  return [...calls, answer];
}

const broken = (part: Partial<SpanExporter>): SpanExporter => Object.assign(new InMemorySpanExporter(), part);

describe('whatever of ours is broken', () => {
  it.each<[string, SpanExporter]>([
    ['throws', broken({ export: () => void throwing().x })],
    ['never answers', broken({ export: () => {} })],
    ['fails', broken({ export: (_spans, done) => done({ code: 1, error: new Error('refused') }) })],
    ['rejects its flush', broken({ forceFlush: () => Promise.reject(new Error('no')) })],
  ])('an exporter that %s, the agent works', async (_name, exporter) => {
    const observer = createObserver({ exporters: [exporter], env: {}, onWarning: () => {}, timeoutMillis: 50 });
    expect(await agent((fn) => observer.turn({}, fn))).toEqual(['asked', 'used', 'helped', 'answer']);
    await observer.shutdown();
  });

  it('a plugin that throws or rejects, the agent works', async () => {
    const scene = new Scene({ hub: new Hub({ onError: () => {} }) });
    scene.hub.on('*', () => {
      throw new Error('observer');
    });
    scene.hub.on('*', () => Promise.reject(new Error('observer')));
    expect(await agent((fn) => scene.observer.turn({}, fn))).toEqual(['asked', 'used', 'helped', 'answer']);
    expect(await scene.tree()).toHaveLength(4);
  });

  it('a host without spans, the agent works, each function called once', async () => {
    const host = { hub: new Hub(), contextOf: () => throwing().x as never };
    expect(await agent((fn) => InstrumentedTurn.run(host, {}, fn))).toEqual(['asked', 'used', 'helped', 'answer']);
  });

  it('infos of a wrong shape or none, the agent works', async () => {
    const { observer } = new Scene({ hub: new Hub({ onError: () => {} }) });
    const wrong = { model: 7, messages: 'x', signal: 'never', sessionId: 3, profile: {}, userMessage: throwing() };
    for (const info of [undefined, wrong] as never[]) {
      const value = await observer.turn(info, async (turn) => {
        expect(await turn.request(info, () => 1)).toBe(1);
        expect(await turn.subagent(info, () => 2)).toBe(2);
        return turn.tool({ name: 'a', args: {}, signal: 'never' as never }, () => 3);
      });
      expect(value).toBe(3);
    }
  });

  it('leaves a rejection that nobody handles to the process, and makes none of its own', async () => {
    const seen: unknown[] = [];
    const listener = (error: unknown) => seen.push(error);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', listener);
    const { observer } = new Scene();
    const error = new Error('x');
    await observer.turn({}, async (turn) => {
      for (const [, way] of WAYS) await way(turn, () => Promise.reject(error)).catch(() => undefined);
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(seen).toEqual([]);
    void observer.turn({}, () => Promise.reject(error));
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', listener);
    for (const other of others) process.on('unhandledRejection', other);
    expect(seen).toEqual([error]);
  });
});
