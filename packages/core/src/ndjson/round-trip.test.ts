import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HookRecord } from '../contract/record.js';
import { formatRecord } from './format-record.js';
import { NdjsonParser } from './parser.js';

const text = fc.string({ unit: 'binary', minLength: 1 });

const anyRecord = fc.record(
  {
    hook: text,
    time_unix_nano: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
    seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    producer: text,
    payload: fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' })),
    profile: text,
    trace_context: fc.record({ traceparent: text, tracestate: text, baggage: text }, { requiredKeys: [] }),
  },
  { requiredKeys: ['hook', 'time_unix_nano', 'payload'] },
) as fc.Arbitrary<HookRecord>;

/** Cuts bytes at any places; the same place twice makes an empty chunk. */
function chunksOf(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end));
}

function parse(chunks: Buffer[], maxLineBytes?: number) {
  const bad: number[] = [];
  const parser = new NdjsonParser({
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
    onMalformed: ({ line }) => bad.push(line),
  });
  const records = [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
  expect(parser.malformed).toBe(bad.length);
  return { records, bad, lines: parser.lines };
}

const cuts = fc.array(fc.nat(), { maxLength: 40 });
const separator = fc.constantFrom('\n', '\r\n', '\n\n', '\n \t\r\n');

describe('writer to reader', () => {
  test('records come back the same, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 6 }), separator, cuts, (records, between, at) => {
        const lines = records.map(formatRecord);
        const read = parse(chunksOf(Buffer.from(lines.join(between)), at));
        expect(read.bad).toEqual([]);
        expect(read.records.map(formatRecord)).toEqual(lines);
      }),
    );
  });

  test('any bytes: never throws, every line is blank, malformed or a record, and cuts change nothing', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom('\n', '\r\n', '\ufeff', '\0', '{', '}', '🌱', ' ').map((part) => Buffer.from(part)),
      anyRecord.map((record) => Buffer.from(`${formatRecord(record)}\n`)),
    );
    fc.assert(
      fc.property(
        fc.array(noise, { maxLength: 12 }),
        cuts,
        fc.constantFrom(undefined, 1, 20, 200),
        (parts, at, bound) => {
          const bytes = Buffer.concat(parts);
          const whole = parse([bytes], bound);
          const cut = parse(chunksOf(bytes, at), bound);
          expect(cut).toEqual(whole);
          expect(whole.records.length + whole.bad.length).toBeLessThanOrEqual(whole.lines);
          const newlines = bytes.filter((byte) => byte === 10).length;
          expect(whole.lines).toBe(newlines + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0));
        },
      ),
    );
  });
});
