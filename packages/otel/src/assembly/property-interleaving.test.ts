import type { HookRecord } from '@hermes-observer/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byId, replay } from '../bridge/span-dump.test-support.js';
import { FC_SEED, records, runs } from './record-stream.test-support.js';

/** One stream of several: each number says whose turn it is; every stream keeps its own order. */
function interleave(streams: readonly (readonly HookRecord[])[], order: readonly number[]): HookRecord[] {
  const left = streams.map((stream) => [...stream]);
  const merged: HookRecord[] = [];
  for (let i = 0; left.some((stream) => stream.length > 0); i++) {
    const waiting = left.filter((stream) => stream.length > 0);
    const next = waiting[(order[i % Math.max(1, order.length)] ?? 0) % waiting.length]?.shift();
    if (next !== undefined) merged.push(next);
  }
  return merged;
}

const order = fc.array(fc.nat({ max: 11 }), { maxLength: 40, size: 'max' });

describe(`producers that share no session (FC_SEED=${FC_SEED})`, () => {
  it('give the same trees in whatever order their records meet', () => {
    const streams = fc.tuple(records('A'), records('B'), records('C'));
    fc.assert(
      fc.property(streams, order, (all, how) => {
        const apart = all.flatMap((stream) => replay(stream, { capture: 'full' }).spans);
        const together = replay(interleave(all, how), { capture: 'full' }).spans;
        expect(byId(together)).toEqual(byId(apart));
      }),
      runs(150),
    );
  });

  it('give the same trees where records have no number', () => {
    fc.assert(
      fc.property(fc.tuple(records('A', false), records('B', false)), order, (all, how) => {
        const apart = all.flatMap((stream) => replay(stream).spans);
        expect(byId(replay(interleave(all, how)).spans)).toEqual(byId(apart));
      }),
      runs(100),
    );
  });
});
