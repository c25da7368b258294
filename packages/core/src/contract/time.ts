/**
 * Wall-clock time as whole seconds since the Unix epoch and nanoseconds within that second (0 to 999,999,999).
 * The shape is OpenTelemetry's `HrTime`; a tuple of two integers keeps nanoseconds exact without BigInt arithmetic.
 */
export type HrTime = [seconds: number, nanos: number];

const NANOS = 1_000_000_000;

/** Time from a record's `time_unix_nano` (decimal digits). Returns `undefined` for anything else. */
export function parseUnixNano(text: unknown): HrTime | undefined {
  if (typeof text !== 'string' || text.length === 0 || text.length > 20) return undefined;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return undefined;
  }
  const cut = text.length - 9;
  return cut <= 0 ? [0, Number(text)] : [Number(text.slice(0, cut)), Number(text.slice(cut))];
}

/** The decimal digits of `time_unix_nano`. */
export function formatUnixNano(time: HrTime): string {
  const [seconds, nanos] = time;
  return seconds === 0 ? String(nanos) : `${seconds}${String(nanos).padStart(9, '0')}`;
}

/** Negative when `a` is before `b`, 0 when equal, positive when after. */
export function compareTime(a: HrTime, b: HrTime): number {
  return a[0] === b[0] ? a[1] - b[1] : a[0] - b[0];
}

export function laterOf(a: HrTime, b: HrTime): HrTime {
  return compareTime(a, b) >= 0 ? a : b;
}

/** Milliseconds from `from` to `to`; negative when the clock stepped back. */
export function millisBetween(from: HrTime, to: HrTime): number {
  return (to[0] - from[0]) * 1000 + (to[1] - from[1]) / 1e6;
}

/** `time` moved back by `millis`. Never before the first nanosecond of the epoch, since 0 stands for no time. */
export function minusMillis(time: HrTime, millis: number): HrTime {
  let seconds = time[0] - Math.floor(millis / 1000);
  let nanos = time[1] - Math.round((millis % 1000) * 1e6);
  while (nanos < 0) {
    nanos += NANOS;
    seconds -= 1;
  }
  return seconds < 0 || (seconds === 0 && nanos === 0) ? [0, 1] : [seconds, nanos];
}

/** The last moment of a millisecond that a double of today's epoch milliseconds can still tell from the next one. */
const LAST_OF_MILLI = 1 - 2 ** -10;

let origin = performance.timeOrigin;

/**
 * The wall clock now, with the sub-millisecond part of the monotonic clock; one clock for starts and ends. It always
 * lies inside the millisecond that `Date.now()` names, so it follows steps and sleeps of the machine.
 */
export function now(): HrTime {
  const milli = Date.now();
  let current = origin + performance.now();
  if (current < milli) {
    origin += milli - current;
    current = milli;
  } else if (current >= milli + 1) {
    origin -= current - milli - LAST_OF_MILLI;
    current = milli + LAST_OF_MILLI;
  }
  const seconds = Math.floor(current / 1000);
  return [seconds, Math.floor((current - seconds * 1000) * 1e6)];
}

/** Longest delay of a Node.js timer, in milliseconds; with a longer one it fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

const NANOS_PER_SECOND = 1_000_000_000n;
const LAST_NANO = 2n ** 64n - 1n;

/** The nearest time from 0 to 2^64 - 1 ns, with less than a second of nanoseconds; 0 for what is no number. */
export function safeTime([seconds, nanos]: HrTime): HrTime {
  const whole = bigOf(seconds) * NANOS_PER_SECOND + bigOf(nanos);
  const clamped = whole < 0n ? 0n : whole > LAST_NANO ? LAST_NANO : whole;
  return [Number(clamped / NANOS_PER_SECOND), Number(clamped % NANOS_PER_SECOND)];
}

function bigOf(value: number): bigint {
  if (Number.isFinite(value)) return BigInt(Math.trunc(value));
  return value > 0 ? LAST_NANO : 0n;
}
