const MICRO = 1e3;
const MILLI = 1e6;
const SECOND = 1e9;
const MINUTE = 60 * SECOND;

/** Nanoseconds for a person, about three digits: `420 µs`, `86.3 ms`, `1.25 s`, `2 m 05 s`, `3 h 12 m`, `2 d 4 h`. */
export function formatDuration(nanos: number): string {
  if (nanos < 0) return `−${formatDuration(-nanos)}`;
  if (nanos === 0) return '0';
  if (nanos < MICRO) return `${Math.round(nanos)} ns`;
  if (nanos < 999.5 * MICRO) return `${threeDigits(nanos / MICRO)} µs`;
  if (nanos < 999.5 * MILLI) return `${threeDigits(nanos / MILLI)} ms`;
  if (nanos < 59.95 * SECOND) return `${threeDigits(nanos / SECOND)} s`;
  return inSeconds(Math.round(nanos / SECOND));
}

function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function inSeconds(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Steps that a set of durations is shown in, so that their sum is what is shown as the sum. */
function stepOf(total: number): { step: number; show: (steps: number) => string } {
  if (total < MILLI) return { step: MICRO, show: (steps) => `${steps} µs` };
  if (total < 100 * MILLI) return { step: MILLI / 10, show: (steps) => `${(steps / 10).toFixed(1)} ms` };
  if (total < SECOND) return { step: MILLI, show: (steps) => `${steps} ms` };
  if (total < MINUTE) return { step: SECOND / 100, show: (steps) => `${(steps / 100).toFixed(2)} s` };
  return { step: SECOND, show: (steps) => (steps < 60 ? `${steps} s` : inSeconds(steps).replace(/^0 m /, '')) };
}

export interface SharedDuration {
  readonly text: string;
  /** Of the sum, 0 to 100, no decimals; they sum to 100 unless all is zero. */
  readonly percent: number;
}

/**
 * Durations and their sum, rounded so that the shown ones add up to the shown sum: the largest rests are rounded up.
 * @param parts nanoseconds
 */
export function formatShares(parts: readonly number[]): { parts: SharedDuration[]; total: string } {
  const sum = parts.reduce((total, part) => total + part, 0);
  const { step, show } = stepOf(sum);
  const rounded = roundTogether(parts, sum / step);
  const percents = roundTogether(parts, 100);
  return {
    parts: parts.map((_, index) => ({ text: show(rounded[index] ?? 0), percent: percents[index] ?? 0 })),
    total: show(Math.round(sum / step)),
  };
}

function roundTogether(parts: readonly number[], whole: number): number[] {
  const sum = parts.reduce((total, part) => total + part, 0);
  if (sum === 0) return parts.map(() => 0);
  const exact = parts.map((part) => (part / sum) * whole);
  const floors = exact.map(Math.floor);
  let left = Math.round(whole) - floors.reduce((total, part) => total + part, 0);
  const byRest = exact.map((value, index) => ({ index, rest: value - Math.floor(value) }));
  byRest.sort((a, b) => b.rest - a.rest);
  for (const { index } of byRest) {
    if (left-- <= 0) break;
    floors[index] = (floors[index] ?? 0) + 1;
  }
  return floors;
}
