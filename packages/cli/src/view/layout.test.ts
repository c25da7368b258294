import { describe, expect, it } from 'vitest';
import { type Line, layoutFor, render } from './layout.js';
import { createPalette } from './palette.js';
import { piece } from './piece.js';

const line = (name: number, ...results: number[]): Line => ({
  name: [piece('n'.repeat(name))],
  result: results.map((width) => piece('r'.repeat(width))),
  start: '+1s',
  took: '1s',
  bar: { from: 0, to: 1, tone: 'plain' },
});
const shown = (lines: Line[], width: number) => {
  const layout = layoutFor(lines, width);
  return lines.map((one) => render(one, layout, createPalette(false)));
};

describe('layoutFor', () => {
  it('gives names and results what they need before the bar', () => {
    const lines = [line(40, 20, 20), line(50, 2), line(10, 43)];
    for (const text of shown(lines, 130)) {
      expect(text).not.toContain('…');
      expect(text.indexOf('r')).toBe(52);
      expect(text.match(/━/g)).toHaveLength(130 - 17 - 95 - 2);
    }
  });

  it.each([
    [200, 40],
    [120, 40],
    [110, 30],
    [100, 20],
    [99, 0],
  ])('at %d columns, short lines have a bar of %d', (width, bar) => {
    expect(layoutFor([line(10, 10)], width).bar).toBe(bar);
  });

  it('has no bar where text leaves too little for one', () => {
    expect(layoutFor([line(50, 52)], 130).bar).toBe(0);
    expect(layoutFor([line(50, 47)], 130).bar).toBe(14);
    expect(shown([line(50, 61)], 130)[0]).not.toContain('…');
  });
});
