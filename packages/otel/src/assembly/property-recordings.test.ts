import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type HookRecord, NdjsonParser } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { byId, replay, treeFaults } from '../bridge/span-dump.test-support.js';

const ROOT = fileURLToPath(new URL('../../../../conformance/recordings/', import.meta.url));
/** Of recordings with more bytes than this only some records are left out. */
const SMALL = 250_000;
const SAMPLES = 30;

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'));

function read(name: string): HookRecord[] {
  const parser = new NdjsonParser();
  return [...parser.push(readFileSync(join(ROOT, name))), ...parser.end()];
}

const isSmall = (name: string) => statSync(join(ROOT, name)).size <= SMALL;

/** Which records are left out: all, or some spread evenly. */
function leftOut(name: string, count: number): number[] {
  if (isSmall(name)) return [...Array(count).keys()];
  const step = Math.max(1, Math.floor(count / SAMPLES));
  return [...Array(count).keys()].filter((i) => i % step === 0);
}

/** The same records as if another producer with ids of its own had sent them. */
function twin(records: readonly HookRecord[], ids: ReadonlySet<string>): HookRecord[] {
  const renamed = (value: unknown): unknown => {
    if (typeof value === 'string') return ids.has(value) ? `twin:${value}` : value;
    return value;
  };
  return records.map((record) => ({
    ...record,
    producer: `twin:${record.producer}`,
    payload: Object.fromEntries(Object.entries(record.payload).map(([key, value]) => [key, renamed(value)])),
  }));
}

/** Every id the records carry, of whatever kind. */
function idsOf(records: readonly HookRecord[]): Set<string> {
  const ids = new Set<string>();
  for (const { payload } of records) {
    for (const [key, value] of Object.entries(payload)) {
      if (/(^|_)id$/.test(key) && typeof value === 'string' && value !== '') ids.add(value);
    }
  }
  return ids;
}

it('there are recordings', () => expect(files.length).toBeGreaterThan(60));

describe.each(files)('%s', (name) => {
  const records = read(name);
  const whole = replay(records);

  it('gives whole trees', () => expect(treeFaults(whole)).toEqual([]));

  it('gives whole trees with any one record left out', () => {
    for (const i of leftOut(name, records.length)) {
      const without = [...records.slice(0, i), ...records.slice(i + 1)];
      expect(treeFaults(replay(without)), `without record ${i + 1}`).toEqual([]);
    }
  });

  it('gives the same spans with every record twice, and with all of them again at the end', () => {
    const once = byId(whole.spans);
    expect(byId(replay(records.flatMap((record) => [record, record])).spans)).toEqual(once);
    expect(byId(replay([...records, ...records]).spans)).toEqual(once);
  });

  it('gives the same spans beside another producer that shares no session', () => {
    const other = twin(records, idsOf(records));
    const together: HookRecord[] = [];
    for (let i = 0, j = 0; i < records.length || j < other.length; ) {
      const [mine, theirs] = [records[i], other[j]];
      if (mine !== undefined && (theirs === undefined || (i * 7 + j * 3) % 5 < 3)) {
        together.push(mine);
        i++;
      } else if (theirs !== undefined) {
        together.push(theirs);
        j++;
      }
    }
    expect(byId(replay(together).spans)).toEqual(byId([...whole.spans, ...replay(other).spans]));
  });
});
