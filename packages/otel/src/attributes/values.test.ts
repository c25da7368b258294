import { describe, expect, it } from 'vitest';
import { amountOf, countOf, isAmount, isCount, label, setAmount, setCount, setLabel } from './values.js';

describe('a label', () => {
  it('is a text that is not empty', () => {
    expect([label('a'), label(''), label(null), label(7), label(['a'])]).toEqual([
      'a',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is well-formed: a lone surrogate becomes U+FFFD', () => {
    expect(label('a\ud800b')).toBe('a\ufffdb');
  });

  it('is cut at 1024 units, marked, never inside a character', () => {
    const long = label('😀'.repeat(2000)) ?? '';
    expect(long.length).toBeLessThanOrEqual(1024);
    expect(long).toMatch(/^(😀)+…\[\+\d+ chars\]$/u);
    expect(label('x'.repeat(1024))).toBe('x'.repeat(1024));
  });
});

describe('a count', () => {
  it.each([0, 1, Number.MAX_SAFE_INTEGER])('is an integer from 0: %d', (value) => expect(isCount(value)).toBe(true));

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1n, '1', true, null, {}])('is not %s', (value) => {
    expect(isCount(value)).toBe(false);
  });
});

describe('an amount', () => {
  it.each([0, 0.5, 1e15])('is a finite number from 0: %d', (value) => expect(isAmount(value)).toBe(true));

  it.each([-0.1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, '1', 1n, null])('is not %s', (value) => {
    expect(isAmount(value)).toBe(false);
  });
});

describe('what is no value', () => {
  it('sets no attribute', () => {
    const set: Record<string, unknown> = {};
    setLabel(set as never, 'label', '');
    setCount(set as never, 'count', -1);
    setAmount(set as never, 'amount', Number.NaN);
    expect(set).toEqual({});
    expect([countOf(0.5), countOf('1'), amountOf('x'), amountOf(-1)]).toEqual(Array(4).fill(undefined));
    expect([countOf(1), amountOf(0.5)]).toEqual([1, 0.5]);
  });
});
