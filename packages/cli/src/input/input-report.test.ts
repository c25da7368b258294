import { ObserverError } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { InputReport } from './input-report.js';

const bad = (line: number) => ({ line, error: new ObserverError('HO_RECORD_NOT_JSON', 'not JSON') });
const suspicion = { code: 'HO_RECORD_SHAPE', message: 'this is something else' } as const;

describe('InputReport', () => {
  it('names each malformed line with its code, and their number', () => {
    const report = new InputReport();
    report.malformed('a', bad(3));
    report.read('a', 5);
    expect(report.lines()).toEqual([
      'a:3: not JSON [HO_RECORD_NOT_JSON]',
      '1 line is malformed and left out; all others were read [HO_RECORDS_MALFORMED]',
    ]);
    expect([report.records, report.isClean]).toEqual([5, false]);
  });

  it('names the first 20 of all inputs, and says how many are left', () => {
    const report = new InputReport();
    for (let line = 1; line <= 15; line++) {
      report.malformed('a', bad(line));
      report.malformed('b', bad(line));
    }
    const lines = report.lines();
    expect(lines).toHaveLength(21);
    expect(lines.slice(0, 15).every((line) => line.startsWith('a:'))).toBe(true);
    expect(lines[20]).toContain('30 lines are malformed and left out, 10 of them not named here;');
  });

  it('says what an input seems to be in place of its lines, if none was of use', () => {
    const report = new InputReport();
    for (const path of ['a', 'b']) {
      report.suspect(path, suspicion);
      report.malformed(path, bad(2));
      report.malformed(path, bad(4));
    }
    report.used('b', 1);
    expect(report.lines()).toEqual([
      'a:2: this is something else [HO_RECORD_SHAPE]',
      'b:2: not JSON [HO_RECORD_NOT_JSON]',
      'b:4: not JSON [HO_RECORD_NOT_JSON]',
      '4 lines are malformed and left out; all others were read [HO_RECORDS_MALFORMED]',
    ]);
  });

  it('says nothing of a suspicion without a fault', () => {
    const report = new InputReport();
    report.suspect('a', suspicion);
    expect(report.lines()).toEqual([]);
  });

  it.each([
    ['', '""'],
    ['a\nb\u001b[2J', '"a\\nb\\u001b[2J"'],
    ['-', 'standard input'],
    ['päth', 'päth'],
  ])('writes the path %j as %s', (path, name) => {
    const report = new InputReport();
    report.unreadable(path, Object.assign(new Error('x'), { code: 'ENOENT' }));
    expect(report.lines()).toEqual([`${name}: no such file; check the path [HO_INPUT_UNREADABLE]`]);
  });
});
