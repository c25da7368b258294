import type { HookRecord } from '@hermes-observer/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byId, replay } from '../bridge/span-dump.test-support.js';
import { FC_SEED, records, runs } from './record-stream.test-support.js';

describe(`a record given twice (FC_SEED=${FC_SEED})`, () => {
  it('changes nothing, right after or anywhere later', () => {
    const again = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 60 })), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(records('A'), again, (stream, repeats) => {
        const twice: HookRecord[] = [...stream];
        for (const [which, later] of repeats) {
          const record = stream[which % Math.max(1, stream.length)];
          if (record === undefined) continue;
          twice.splice(Math.min(twice.indexOf(record) + 1 + later, twice.length), 0, record);
        }
        const run = replay(twice);
        expect(byId(run.spans)).toEqual(byId(replay(stream).spans));
        expect(run.bridge.stats.duplicates).toBe(twice.length - stream.length);
      }),
      runs(200),
    );
  });

  it('changes nothing when all records come twice', () => {
    fc.assert(
      fc.property(records('A'), (stream) => {
        const once = byId(replay(stream).spans);
        expect(byId(replay([...stream, ...stream]).spans)).toEqual(once);
        expect(byId(replay(stream.flatMap((record) => [record, record])).spans)).toEqual(once);
      }),
      runs(100),
    );
  });
});
