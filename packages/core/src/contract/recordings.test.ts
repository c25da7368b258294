import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { NdjsonParser } from '../ndjson/parser.js';
import { validateRecord } from './validate-record.js';

const folder = new URL('../../../../conformance/recordings/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'));

describe('recordings of real agents', () => {
  test('there are some', () => expect(files.length).toBeGreaterThan(60));

  test.each(files)('%s has no malformed line and nothing odd', (file) => {
    const parser = new NdjsonParser();
    const records = [...parser.push(readFileSync(new URL(file, folder))), ...parser.end()];
    expect(parser.malformed).toBe(0);
    expect(records.length).toBeGreaterThan(0);
    expect(records.flatMap(validateRecord)).toEqual([]);
  });
});
