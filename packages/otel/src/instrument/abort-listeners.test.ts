import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../assembly/collect-garbage.test-support.js';
import { whenAborted } from './abort-listeners.js';
import { Scene, sleep } from './scene.test-support.js';

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('those who wait for a signal', () => {
  it('share one listener, are told once each, and one that throws harms no other', () => {
    const controller = new AbortController();
    const told: number[] = [];
    const waiting = [0, 1, 2, 3].map((i) => ({
      aborted() {
        told.push(i);
        if (i === 0) throw new Error('listener');
      },
    }));
    const [, forget] = waiting.map((listener) => whenAborted(controller.signal, listener));
    expect(listenersOf(controller.signal)).toBe(1);
    forget?.();
    controller.abort();
    expect(told).toEqual([0, 2, 3]);
  });

  it('leave no listener behind', () => {
    const { signal } = new AbortController();
    const listener = { aborted: () => {} };
    const forgets = [whenAborted(signal, listener), whenAborted(signal, { aborted: () => {} })];
    for (const forget of forgets) forget();
    for (const forget of forgets) forget();
    expect(listenersOf(signal)).toBe(0);
    whenAborted(signal, listener);
    expect(listenersOf(signal)).toBe(1);
  });

  it('are not kept alive by it', async () => {
    const { signal } = new AbortController();
    const refs = Array.from({ length: 20 }, () => {
      const listener = { aborted: () => {} };
      whenAborted(signal, listener);
      return new WeakRef(listener);
    });
    await sleep(0);
    await collectGarbage();
    await sleep(10);
    expect(refs.filter((ref) => ref.deref() !== undefined)).toEqual([]);
    expect(listenersOf(signal)).toBe(0);
  });
});

describe('streams of many turns with one signal', () => {
  it('are followed through one listener, without a warning; an abort ends them all', async () => {
    const warnings: Error[] = [];
    const listener = (warning: Error) => warnings.push(warning);
    process.on('warning', listener);
    const scene = new Scene({ limits: { maxOpenTurnsPerSession: 100 } });
    const controller = new AbortController();
    const { signal } = controller;
    const streams: unknown[] = [];
    for (let i = 0; i < 50; i++) {
      streams.push(
        await scene.observer.turn({ signal }, (turn) =>
          turn.request({}, async function* () {
            yield 'a';
          }),
        ),
      );
    }
    expect(listenersOf(signal)).toBe(1);
    controller.abort();
    expect(scene.observer.counts.openSpans).toBe(0);
    await sleep(5);
    process.off('warning', listener);
    expect(warnings).toEqual([]);
    expect(streams).toHaveLength(50);
  });

  it('that nobody holds any more are not held by the signal', async () => {
    const scene = new Scene();
    const { signal } = new AbortController();
    const refs: WeakRef<object>[] = [];
    for (let i = 0; i < 20; i++) {
      const stream = await scene.observer.turn({ signal }, (turn) =>
        turn.request({}, async function* () {
          yield 'a';
        }),
      );
      refs.push(new WeakRef(stream));
    }
    await sleep(0);
    await collectGarbage();
    expect(refs.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(3);
  });
});
