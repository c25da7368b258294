import { describe, expect, it } from 'vitest';
import { LossReport } from './loss-report.js';

function report() {
  const told: string[] = [];
  const clock = { now: 5 };
  const losses = new LossReport(
    (text) => told.push(text),
    () => clock.now,
  );
  const look = (count: number, isLast = false, kind = 'a') =>
    losses.look(kind, count, (since) => `${kind} ${since}`, isLast);
  return { told, clock, look };
}

describe('LossReport', () => {
  it('tells of the first at once, and then once a minute of those since', () => {
    const { told, clock, look } = report();
    look(0);
    look(3);
    clock.now += 59_999;
    look(10);
    expect(told).toEqual(['a 3']);
    clock.now += 1;
    look(12);
    look(13);
    expect(told).toEqual(['a 3', 'a 9']);
  });

  it('keeps kinds apart, and says nothing of what did not grow', () => {
    const { told, clock, look } = report();
    look(1);
    look(1, false, 'b');
    clock.now += 120_000;
    look(1);
    look(1, true);
    expect(told).toEqual(['a 1', 'b 1']);
  });

  it('tells the rest at the end', () => {
    const { told, look } = report();
    look(1);
    look(4, true);
    expect(told).toEqual(['a 1', 'a 3']);
  });
});
