import { formatDuration } from '../format/duration.js';

/** The stretch of time that is shown, ns from the base. */
export interface TimeScale {
  readonly from: number;
  readonly to: number;
}

/** Narrower bars would not be seen, in hundredths of the width. */
const LEAST = 0.15;

/** Where a bar lies, in hundredths of the width; undefined outside of what is shown. */
export function barOf(
  { from, to }: TimeScale,
  start: number,
  end: number,
): { left: number; width: number } | undefined {
  if (end < from || start > to) return undefined;
  const length = to - from || 1;
  const left = ((Math.max(start, from) - from) / length) * 100;
  const right = ((Math.min(end, to) - from) / length) * 100;
  const width = Math.max(right - left, LEAST);
  return { left: Math.min(left, 100 - width), width };
}

export interface Tick {
  /** Hundredths of the width. */
  readonly at: number;
  readonly label: string;
}

/** Round times along the scale, about `count` of them. */
export function ticksOf({ from, to }: TimeScale, count: number): Tick[] {
  const step = roundStep((to - from) / Math.max(count, 1));
  const ticks: Tick[] = [];
  for (let time = Math.ceil(from / step) * step; time < to && ticks.length < 20; time += step) {
    ticks.push({ at: ((time - from) / (to - from)) * 100, label: time === 0 ? '0' : shortTime(time) });
  }
  return ticks;
}

/** Round times read better without needless zeros: `2 s`, not `2.00 s`; `10 m`, not `10 m 00 s`. */
const shortTime = (time: number) =>
  formatDuration(time)
    .replace(/(\.\d*?)0+ /, '$1 ')
    .replace('. ', ' ')
    .replace(/ 00 [sm]$/, '');

const MINUTE = 60e9;
const STEPS = [1, 2, 5, 10];
/** Above a minute: parts of minutes, hours and days. */
const LONG = [
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  60 * MINUTE,
  120 * MINUTE,
  360 * MINUTE,
  720 * MINUTE,
  1440 * MINUTE,
];

function roundStep(rough: number): number {
  if (rough > 20e9)
    return [30e9, ...LONG].find((step) => step >= rough) ?? Math.ceil(rough / (1440 * MINUTE)) * 1440 * MINUTE;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = (STEPS.find((one) => one * power >= rough) ?? 10) * power;
  return step > 10e9 ? 20e9 : step;
}

/** While a turn runs the scale has room ahead, and grows in leaps: bars that ended stand still meanwhile. */
export function growingEnd(before: number, now: number): number {
  return now <= before ? before : Math.max(now * 1.3, now + 1e9);
}
