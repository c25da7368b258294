import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRecord, toRecord } from './parse-record.js';

const sound = { hook: 'pre_llm_call', time_unix_nano: '1764450000000000000', payload: { a: 1 } };
const withField = (field: object) => JSON.stringify({ ...sound, ...field });

describe('parseRecord', () => {
  test('takes a record with all fields and with the needed ones', () => {
    const full = { ...sound, seq: 1, producer: 'p', profile: 'work', trace_context: { traceparent: '00-a-b-01' } };
    expect(parseRecord(JSON.stringify(full)).record).toEqual(full);
    expect(parseRecord(JSON.stringify(sound)).record).toEqual(sound);
    expect(parseRecord(` ${JSON.stringify(sound)}\r`).record).toEqual(sound);
  });

  test('keeps unknown fields', () => {
    expect(parseRecord(withField({ thread: 7 })).record).toHaveProperty('thread', 7);
    expect(parseRecord(withField({ thread: 7, seq: 'x' })).record).toEqual({ ...sound, thread: 7 });
  });

  test.each([
    ['seq of a wrong type', { seq: 'x' }],
    ['seq with a fraction', { seq: 1.5 }],
    ['seq below 1', { seq: 0 }],
    ['seq beyond safe integers', { seq: 2 ** 60 }],
    ['producer of a wrong type', { producer: 7 }],
    ['empty producer', { producer: '' }],
    ['profile of a wrong type', { profile: ['a'] }],
    ['trace_context of a wrong type', { trace_context: 'x' }],
    ['trace_context without anything usable', { trace_context: { traceparent: 5 } }],
    ['nulls', { seq: null, producer: null, profile: null, trace_context: null }],
  ])('leaves out %s', (_, field) => {
    expect(parseRecord(withField(field)).record).toEqual(sound);
  });

  test('names what it left out, but for nulls', () => {
    const { leftOut } = parseRecord(withField({ seq: '5', producer: 7, profile: '', trace_context: [] }));
    expect(leftOut).toEqual(['seq', 'producer', 'profile', 'trace_context']);
    expect(parseRecord(withField({ seq: null, producer: null, profile: 'p' })).leftOut).toBeUndefined();
    expect(parseRecord(withField({ seq: 5 })).leftOut).toBeUndefined();
  });

  test('takes the latest time that OTLP can carry', () => {
    const time = '18446744073709551615';
    expect(parseRecord(withField({ time_unix_nano: time })).record?.time_unix_nano).toBe(time);
  });

  test('keeps the usable part of a trace_context', () => {
    const { record } = parseRecord(withField({ trace_context: { traceparent: 't', tracestate: 4, baggage: null } }));
    expect(record?.trace_context).toEqual({ traceparent: 't' });
  });

  test.each([
    ['{"hook": "pre', 'HO_RECORD_NOT_JSON', /^not JSON/],
    ['this is not a record', 'HO_RECORD_NOT_JSON', /a record is one JSON object$/],
    ['', 'HO_RECORD_NOT_JSON', /not JSON/],
    ['[1, 2, 3]', 'HO_RECORD_SHAPE', /^a record must be a JSON object, not an array$/],
    ['null', 'HO_RECORD_SHAPE', /not null$/],
    ['7', 'HO_RECORD_SHAPE', /not a number$/],
    ['{}', 'HO_RECORD_SHAPE', /^hook must be a non-empty string, not missing$/],
    [withField({ hook: 5 }), 'HO_RECORD_SHAPE', /^hook must be a non-empty string, not a number$/],
    [withField({ hook: '' }), 'HO_RECORD_SHAPE', /^hook must be a non-empty string, not an empty string$/],
    [
      withField({ time_unix_nano: undefined }),
      'HO_RECORD_SHAPE',
      /^time_unix_nano must be a string of decimal digits, not missing$/,
    ],
    [withField({ time_unix_nano: 1764450000000000000 }), 'HO_RECORD_SHAPE', /loses digits/],
    [withField({ time_unix_nano: 5 }), 'HO_RECORD_SHAPE', /loses digits/],
    [withField({ time_unix_nano: '-5' }), 'HO_RECORD_SHAPE', /decimal digits, not a negative number$/],
    [withField({ time_unix_nano: '+5' }), 'HO_RECORD_SHAPE', /decimal digits, not one with a sign$/],
    [withField({ time_unix_nano: '1.5' }), 'HO_RECORD_SHAPE', /decimal digits, not a number with a fraction/],
    [withField({ time_unix_nano: '1e18' }), 'HO_RECORD_SHAPE', /decimal digits, not a number with .* an exponent$/],
    [withField({ time_unix_nano: '9'.repeat(25) }), 'HO_RECORD_SHAPE', /not one of 25 digits that is over 2\^64 - 1$/],
    [withField({ time_unix_nano: '18446744073709551616' }), 'HO_RECORD_SHAPE', /not one of 20 digits that is over/],
    [withField({ time_unix_nano: '2026-11-29T21:35:11Z' }), 'HO_RECORD_SHAPE', /not a date: give nanoseconds/],
    [withField({ time_unix_nano: ' 5' }), 'HO_RECORD_SHAPE', /not a text with other characters$/],
    [withField({ time_unix_nano: '' }), 'HO_RECORD_SHAPE', /not an empty string$/],
    [withField({ payload: null }), 'HO_RECORD_SHAPE', /^payload must be an object, not null$/],
    [withField({ payload: [1] }), 'HO_RECORD_SHAPE', /^payload must be an object, not an array$/],
    [withField({ payload: 'x' }), 'HO_RECORD_SHAPE', /^payload must be an object, not a string$/],
    ['{"__proto__":{"hook":"x","time_unix_nano":"1","payload":{}}}', 'HO_RECORD_SHAPE', /^hook .* missing$/],
  ])('refuses %s', (line, code, message) => {
    const { record, error } = parseRecord(line);
    expect(record).toBeUndefined();
    expect(error).toMatchObject({ code });
    expect(error?.message).toMatch(message);
  });

  test('quotes no content in a message', () => {
    for (const line of [
      'password hunter2',
      '{"hook":"hunter2',
      '{"a": hunter2}',
      withField({ time_unix_nano: 'hunter2' }),
    ]) {
      expect(parseRecord(line).error?.message).not.toContain('hunter2');
    }
  });

  test('a __proto__ key stays a key', () => {
    const { record } = parseRecord(`{"seq":"x","__proto__":{"bad":1},${withField({}).slice(1)}`);
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    expect(record).not.toHaveProperty('bad');
    const inside = parseRecord('{"hook":"h","time_unix_nano":"1","payload":{"__proto__":{"bad":1}}}').record;
    expect(Object.keys(inside?.payload ?? {})).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(inside?.payload)).toBe(Object.prototype);
  });

  test('never throws, and says either or', () => {
    const fields = {
      hook: fc.jsonValue(),
      time_unix_nano: fc.jsonValue(),
      payload: fc.jsonValue(),
      seq: fc.jsonValue(),
    };
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.record(fields, { requiredKeys: [] }).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(line, (text) => {
        const { record, error } = parseRecord(text);
        expect((record === undefined) !== (error === undefined)).toBe(true);
      }),
    );
  });
});

describe('toRecord', () => {
  test('returns the value itself when nothing is left out, and never changes it', () => {
    expect(toRecord(sound).record).toBe(sound);
    const odd = Object.freeze({ ...sound, seq: 'x' });
    expect(toRecord(odd).record).toEqual(sound);
    expect(odd.seq).toBe('x');
  });

  test('never throws', () => {
    const hostile = [
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('mine');
          },
        },
      ),
      {
        get hook() {
          throw new Error('mine');
        },
      },
      {
        ...sound,
        get seq() {
          throw new Error('mine');
        },
      },
      { hook: Symbol('s'), time_unix_nano: 1n },
      () => sound,
    ];
    for (const value of hostile) expect(toRecord(value).error).toMatchObject({ code: 'HO_RECORD_SHAPE' });
    fc.assert(fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => void toRecord(value)));
  });

  test('takes any value in an optional field', () => {
    const fields = fc.record(
      { seq: fc.anything(), producer: fc.anything(), profile: fc.anything(), trace_context: fc.anything() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, (optional) => {
        const { record } = toRecord({ ...sound, ...optional });
        expect(record).toMatchObject(sound);
        expect(['undefined', 'number']).toContain(typeof record?.seq);
        expect(['undefined', 'string']).toContain(typeof record?.producer);
      }),
    );
  });
});
