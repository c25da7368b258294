import { formatDuration } from '../view/duration.js';

const two = (value: number) => String(value).padStart(2, '0');

/** Local time of Unix nanoseconds, in 11 columns at most: today's by the clock, else with its day. */
export function startText(nanos: string, nowMillis: number): string {
  const date = dateOf(nanos);
  if (Number.isNaN(date.getTime())) return '?';
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (date.toDateString() === new Date(nowMillis).toDateString()) return `${clock}:${two(date.getSeconds())}`;
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return Math.abs(nowMillis - date.getTime()) < 300 * 86_400_000 ? `${day} ${clock}` : `${date.getFullYear()}-${day}`;
}

/** Local date and time to the millisecond. */
export function momentText(nanos: string): string {
  const date = dateOf(nanos);
  if (Number.isNaN(date.getTime())) return '?';
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day} ${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** A duration in nanoseconds. */
export const tookText = (nanos: number) => formatDuration(nanos / 1e6);

const dateOf = (nanos: string) => new Date(/^-?\d{1,25}$/.test(nanos) ? Number(nanos) / 1e6 : Number.NaN);
