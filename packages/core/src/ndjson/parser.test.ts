import { describe, expect, test } from 'vitest';
import { type MalformedLine, NdjsonParser } from './parser.js';

const line = (hook: string) => `{"hook":"${hook}","time_unix_nano":"1","payload":{}}`;

describe('NdjsonParser', () => {
  test('gives the records of each chunk, and counts and tells malformed lines', () => {
    const bad: MalformedLine[] = [];
    const parser = new NdjsonParser({ maxLineBytes: 100, onMalformed: (malformed) => bad.push(malformed) });
    const text = [
      line('a'),
      'not a record',
      '',
      '[1]',
      `"${'x'.repeat(200)}"`,
      `${line('b')}\r`,
      '{"hook":5}',
      line('c'),
    ].join('\n');
    const bytes = Buffer.from(text);
    expect(parser.push(bytes.subarray(0, 60)).map(({ hook }) => hook)).toEqual(['a']);
    expect(parser.push(bytes.subarray(60)).map(({ hook }) => hook)).toEqual(['b']);
    expect(parser.end().map(({ hook }) => hook)).toEqual(['c']);
    expect(parser.end()).toEqual([]);
    expect(parser.lines).toBe(8);
    expect(parser.malformed).toBe(4);
    expect(bad.map(({ line, error }) => [line, error.code])).toEqual([
      [2, 'HO_RECORD_NOT_JSON'],
      [4, 'HO_RECORD_SHAPE'],
      [5, 'HO_RECORD_TOO_LONG'],
      [7, 'HO_RECORD_SHAPE'],
    ]);
  });

  test('keeps lone surrogate escapes as they are', () => {
    const parser = new NdjsonParser();
    const [record] = parser.push(Buffer.from('{"hook":"h","time_unix_nano":"1","payload":{"a":"\\ud800"}}\n'));
    expect(record?.payload.a).toBe('\ud800');
  });

  test('refuses a bound that is none', () => {
    for (const maxLineBytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40]) {
      expect(() => new NdjsonParser({ maxLineBytes })).toThrowError(expect.objectContaining({ code: 'HO_OPTION' }));
    }
  });
});
