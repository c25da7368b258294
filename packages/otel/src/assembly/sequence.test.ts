import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FC_SEED, runs } from './record-stream.test-support.js';
import { Scene } from './scene.test-support.js';
import { SequenceIndex } from './sequence.js';

describe('(producer, seq) identifies a record', () => {
  it('the same pair again is a duplicate and changes nothing', () => {
    const scene = new Scene()
      .at(1, 'pre_llm_call', { turn_id: 't' }, { seq: 1 })
      .at(2, 'on_session_end', { turn_id: 't', completed: true }, { seq: 1 });
    expect(scene.one('turn').end).toBeUndefined();
    expect(scene.stats).toMatchObject({ records: 2, duplicates: 1 });
  });

  it('another producer with the same number is another record', () => {
    const scene = new Scene().at(1, 'pre_llm_call', { turn_id: 't' }, { seq: 1 });
    scene.at(2, 'on_session_end', { turn_id: 't' }, { seq: 1, producer: 'q' });
    expect(scene.one('turn').end).toBeDefined();
  });

  it('without a producer or a number there is no such check', () => {
    const index = new SequenceIndex(10);
    expect([index.isNew('p', undefined), index.isNew('p', undefined)]).toEqual([true, true]);
    expect([index.isNew(undefined, 1), index.isNew(undefined, 1)]).toEqual([true, true]);
  });

  it('order is arrival: a smaller number later is no duplicate', () => {
    const index = new SequenceIndex(10);
    expect([5, 3, 4, 1, 2].map((seq) => index.isNew('p', seq))).toEqual([true, true, true, true, true]);
    expect([1, 2, 3, 4, 5].map((seq) => index.isNew('p', seq))).toEqual([false, false, false, false, false]);
  });

  it('what is taken back is new again, and counts as missing until it comes', () => {
    const index = new SequenceIndex(10);
    for (const seq of [1, 2, 3, 4, 5]) index.isNew('p', seq);
    for (const seq of [3, 5, 9]) index.forget('p', seq);
    index.forget('q', 1);
    expect(index.missingOf('p')).toBe(1);
    expect([1, 2, 3, 4, 5].map((seq) => index.isNew('p', seq))).toEqual([false, false, true, false, true]);
    expect(index.missingOf('p')).toBe(0);
  });

  it('goes on from what was saved', () => {
    const index = new SequenceIndex(10);
    for (const seq of [2, 3, 7]) index.isNew('p', seq);
    index.isNew('q', 1);
    const other = new SequenceIndex(10);
    other.restore(JSON.parse(JSON.stringify(index.save())));
    expect([other.missing, other.missingOf('p')]).toEqual([3, 3]);
    expect([2, 3, 7, 5, 8].map((seq) => other.isNew('p', seq))).toEqual([false, false, false, true, true]);
    expect(other.isNew('q', 1)).toBe(false);
  });

  it(`agrees with a plain set of numbers (FC_SEED=${FC_SEED})`, () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: 2 }), fc.integer({ min: 1, max: 60 })), { maxLength: 200 }),
        (pairs) => {
          const index = new SequenceIndex(10);
          const seen = new Map<string, Set<number>>();
          for (const [p, seq] of pairs) {
            const producer = `p${p}`;
            const numbers = seen.get(producer) ?? new Set();
            seen.set(producer, numbers);
            expect(index.isNew(producer, seq)).toBe(!numbers.has(seq));
            numbers.add(seq);
          }
          const missing = [...seen.values()].map(
            (numbers) => Math.max(...numbers) - Math.min(...numbers) + 1 - numbers.size,
          );
          expect(index.missing).toBe(missing.reduce((sum, n) => sum + n, 0));
        },
      ),
      runs(200),
    );
  });
});

describe('gaps', () => {
  it('show loss, and close again when the record comes after all', () => {
    const index = new SequenceIndex(10);
    for (const seq of [1, 2, 5, 9]) index.isNew('p', seq);
    expect(index.missing).toBe(5);
    index.isNew('p', 4);
    expect(index.missing).toBe(4);
  });

  it('are bounded: beyond a thousand of them the oldest numbers are forgotten, and a record of those counts as new', () => {
    const index = new SequenceIndex(10);
    for (let seq = 1; seq < 6000; seq += 2) index.isNew('p', seq);
    expect(index.missing).toBe(2999);
    expect(index.isNew('p', 2)).toBe(true);
    expect(index.isNew('p', 5999)).toBe(false);
    expect(index.isNew('p', 5998)).toBe(true);
  });

  it('of a forgotten producer stay counted', () => {
    const index = new SequenceIndex(1);
    index.isNew('p', 1);
    index.isNew('p', 4);
    index.isNew('q', 1);
    expect(index.missing).toBe(2);
  });
});

describe('producers beyond the bound', () => {
  it('are forgotten, the longest silent one first', () => {
    const index = new SequenceIndex(2);
    for (const producer of ['a', 'b', 'a', 'c']) index.isNew(producer, producer === 'a' ? undefined : 1);
    index.isNew('a', 1);
    index.isNew('b', 2);
    index.isNew('a', 2);
    index.isNew('c', 2);
    expect(index.isNew('a', 1)).toBe(false);
    expect(index.isNew('b', 1)).toBe(true);
  });
});
