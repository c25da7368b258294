import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replay, treeFaults } from '../bridge/span-dump.test-support.js';
import { FC_SEED, records, runs } from './record-stream.test-support.js';

describe(`any stream of records (FC_SEED=${FC_SEED})`, () => {
  it('gives whole trees: all ended, one root a trace, unique ids, parents there, no end before its start', () => {
    fc.assert(
      fc.property(records('A', false), (stream) => {
        expect(treeFaults(replay(stream, { capture: 'full' }))).toEqual([]);
      }),
      runs(400),
    );
  });

  it('gives whole trees with any one record left out', () => {
    fc.assert(
      fc.property(records('A'), (stream) => {
        for (let i = 0; i < stream.length; i++) {
          expect(treeFaults(replay([...stream.slice(0, i), ...stream.slice(i + 1)]))).toEqual([]);
        }
      }),
      runs(40),
    );
  });
});
