import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTENT_BYTES, contentJson, contentList, contentText, contentTextOrJson } from './content-text.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() & 0x7fffffff);
const mark = (leftOut: number) => ({ leftOut });
const same = (value: unknown) => value;
const SECRET = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH';

describe('with content off', () => {
  it('nothing comes out', () => {
    expect(contentText('a', 'none')).toBeUndefined();
    expect(contentJson({ a: 1 }, 'none')).toBeUndefined();
    expect(contentTextOrJson('{"a":1}', 'none')).toBeUndefined();
    expect(contentList(['a'], same, 'none', mark)).toBeUndefined();
  });
});

describe('free text', () => {
  it('is cut within its budget, marked, and well-formed', () => {
    const text = contentText('😀\ud800'.repeat(CONTENT_BYTES), 'full') ?? '';
    expect(text.length).toBeLessThanOrEqual(CONTENT_BYTES / 2);
    expect(text).toMatch(/…\[\+\d+ chars\]$/);
    expect(Buffer.from(text).toString()).toBe(text);
  });

  it('is redacted on demand', () => {
    expect(contentText(`key ${SECRET}`, 'full')).toContain(SECRET);
    expect(contentText(`key ${SECRET}`, 'redacted')).not.toContain(SECRET);
  });

  it.each(['', 7, null, {}])('is none in %j', (value) => expect(contentText(value, 'full')).toBeUndefined());
});

describe('a value as JSON', () => {
  it(`stays valid and within its budget, whatever it is (FC_SEED=${SEED})`, () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withDate: true }), (value) => {
        const json = contentJson(value, 'full', 2000);
        if (json === undefined) return;
        expect(() => JSON.parse(json)).not.toThrow();
        expect(JSON.stringify(JSON.parse(json))).toBe(json);
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it('is cut inside its structure', () => {
    const json =
      contentJson({ list: Array.from({ length: 900 }, (_, n) => ({ n, text: 'x'.repeat(500) })) }, 'full') ?? '';
    expect(Buffer.byteLength(json)).toBeLessThan(CONTENT_BYTES * 1.1);
    expect(JSON.parse(json).list[0]).toEqual({ n: 0, text: 'x'.repeat(500) });
  });

  it('is redacted by key and by text on demand', () => {
    const json = contentJson({ password: 'hunter2', note: `use ${SECRET}` }, 'redacted') ?? '';
    expect(json).not.toContain('hunter2');
    expect(json).not.toContain(SECRET);
    expect(() => JSON.parse(json)).not.toThrow();
  });

  it.each([undefined, null])('is none for %s', (value) => expect(contentJson(value, 'full')).toBeUndefined());
});

describe('text that may be JSON', () => {
  it('stays as it is when it is short', () => {
    expect(contentTextOrJson('{"a": 1}', 'full')).toBe('{"a": 1}');
    expect(contentTextOrJson('plain', 'full')).toBe('plain');
  });

  it('is cut inside its structure when it is long', () => {
    const json = contentTextOrJson(JSON.stringify({ rows: Array(800).fill('y'.repeat(400)) }), 'full') ?? '';
    expect(Buffer.byteLength(json)).toBeLessThan(CONTENT_BYTES * 1.1);
    expect(() => JSON.parse(json)).not.toThrow();
  });

  it('is cut as text when it only looks like JSON', () => {
    expect(contentTextOrJson(`{${'z'.repeat(CONTENT_BYTES)}`, 'full')).toMatch(/^\{z+…\[\+\d+ chars\]$/);
  });

  it('is redacted by key on demand', () => {
    expect(contentTextOrJson('{"password":"hunter2"}', 'redacted')).not.toContain('hunter2');
  });

  it('may be a value, which becomes JSON', () => expect(contentTextOrJson({ a: 1 }, 'full')).toBe('{"a":1}'));
});

describe('a list', () => {
  const items = (count: number, size: number) =>
    Array.from({ length: count }, (_, n) => ({ n, text: 'x'.repeat(size) }));

  it('comes whole when it fits, in order', () => {
    expect(JSON.parse(contentList(items(3, 5), same, 'full', mark) ?? '')).toEqual(items(3, 5));
    expect(contentList([], same, 'full', mark)).toBe('[]');
  });

  it('keeps the newest items, and counts what is left out in a first one', () => {
    const json = contentList(items(1000, 1000), same, 'full', mark) ?? '';
    const list = JSON.parse(json);
    expect(Buffer.byteLength(json)).toBeLessThan(CONTENT_BYTES * 1.1);
    expect(list.at(-1)).toEqual(items(1000, 1000).at(-1));
    expect(list[0].leftOut + list.length - 1).toBe(1000);
    expect(list[0].leftOut).toBeGreaterThan(800);
  });

  it('whose newest item alone is too long has that item, cut, and still is JSON', () => {
    const long = Array(4).fill('x'.repeat(CONTENT_BYTES));
    const list = JSON.parse(contentList([{ n: 0 }, long], same, 'full', mark) ?? '');
    expect(list[0]).toEqual({ leftOut: 1 });
    expect(list[1][0]).toMatch(/^x+…\[\+\d+ chars\]$/);
  });

  it('never ends in broken text for items that have no JSON', () => {
    expect(JSON.parse(contentList([undefined, () => 1, null], same, 'full', mark) ?? '')).toHaveLength(3);
  });
});
