import { expect, it } from 'vitest';
import { Patience } from './patience.js';

const open = new AbortController().signal;

it('is as long as it was made, until somebody hurries', () => {
  const patience = new Patience(28_000, true);
  const begun = performance.now();
  expect(patience.end(begun, false)).toBe(begun + 28_000);
  patience.hurry();
  expect(patience.end(begun, false) - begun).toBeLessThan(600);
  // Who asks for time is there.
  expect(patience.end(begun, true) - begun).toBeGreaterThan(1_900);
  expect(patience.end(begun + 60_000, false) - begun).toBeLessThan(600);
});

it('is the old one again for what begins behind a hurry that was for a while', () => {
  const patience = new Patience(28_000, true);
  const begun = performance.now();
  patience.hurry(2_000);
  expect(patience.end(begun + 1_000, false) - begun).toBeLessThan(600);
  expect(patience.end(begun + 3_000, false)).toBeCloseTo(begun + 31_000);
});

it('ends a pause that is under way, each time somebody hurries', async () => {
  const patience = new Patience(28_000, true);
  for (let i = 0; i < 2; i++) {
    const begun = performance.now();
    const pause = patience.pause(5_000, open);
    setTimeout(() => patience.hurry(0), 20);
    await pause;
    expect(performance.now() - begun).toBeLessThan(2_000);
  }
});
