import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonSize } from '../encoding/json-size.js';
import { cutText } from './cut-text.js';

const bytesIn = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2;
const text = fc.string({ unit: 'binary', maxLength: 2_000 });
const budget = fc.integer({ min: 0, max: 2_500 });
const MARK = /…\[\+\d+ chars\]$/;

describe('cutText', () => {
  it('gives what fits as it is, and else no more than it was told', () => {
    fc.assert(
      fc.property(text, budget, (whole, most) => {
        const cut = cutText(whole, most);
        if (jsonSize(whole) <= most) expect(cut).toBe(whole);
        else expect(bytesIn(cut)).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('marks what it cut, and says how much is gone', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 500, maxLength: 900 }),
        fc.integer({ min: 40, max: 400 }),
        (whole, most) => {
          fc.pre(!/^\s*[[{]/.test(whole));
          const cut = cutText(whole, most);
          if (cut === '') return;
          expect(cut).toMatch(MARK);
          const kept = cut.replace(MARK, '');
          expect(whole.startsWith(kept)).toBe(true);
          expect(Number(/\+(\d+) chars/.exec(cut)?.[1])).toBe(whole.length - kept.length);
        },
      ),
    );
  });

  it('never splits a character', () => {
    const faces = '😀'.repeat(500);
    for (let most = 32; most < 200; most++)
      expect(cutText(faces, most)).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it('keeps JSON valid, of the same kind, and within its bound', () => {
    const json = fc
      .json({ maxDepth: 4, stringUnit: 'grapheme' })
      .map((one) => JSON.stringify({ kept: 1, text: 'x'.repeat(3_000), one: JSON.parse(one) }));
    fc.assert(
      fc.property(json, fc.integer({ min: 256, max: 2_000 }), (whole, most) => {
        const cut = cutText(whole, most);
        expect(bytesIn(cut)).toBeLessThanOrEqual(most);
        expect(JSON.parse(cut)).toMatchObject({ kept: 1 });
      }),
    );
  });

  it('leaves of messages what there is room for', () => {
    const messages = JSON.stringify(
      Array.from({ length: 5 }, (_, i) => ({ role: 'user', content: `${i}${'y'.repeat(5_000)}` })),
    );
    const cut = JSON.parse(cutText(messages, 8_000)) as { content: string }[];
    expect(Array.isArray(cut)).toBe(true);
    expect(cut[0]?.content).toMatch(/^0y{500}/);
    expect(JSON.stringify(cut)).toContain('chars]');
  });

  it('cuts what only looks like JSON as a text', () => {
    expect(cutText(`{"a": ${'b'.repeat(2_000)}`, 400)).toMatch(MARK);
  });

  it('gives nothing where not even a mark fits', () => {
    expect(cutText('x'.repeat(100), 10)).toBe('');
    expect(cutText('x'.repeat(100), 0)).toBe('');
  });

  it('is done with 30 MiB in a time that passes', () => {
    const began = performance.now();
    cutText(JSON.stringify([{ content: 'z'.repeat(30 * 2 ** 20) }]), 4 * 2 ** 20);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
