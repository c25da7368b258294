const DAY = 86_400_000;
/** `Date` knows no moments further from 1970. */
const FURTHEST = 8.64e15;

/** Unix nanoseconds, decimal, as milliseconds; NaN for what no calendar has. */
export function millisOf(unixNano: string): number {
  const millis = Number(unixNano) / 1e6;
  return Math.abs(millis) <= FURTHEST ? millis : Number.NaN;
}

/** Formats are made once: each takes the browser longer to make than to use. */
const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const yearTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** When, as short as can be: the time alone today, with the day before that. In the browser's zone and language. */
export function formatMoment(unixNano: string, now: number): string {
  const millis = millisOf(unixNano);
  if (Number.isNaN(millis)) return 'no date';
  if (new Date(millis).toDateString() === new Date(now).toDateString()) return time.format(millis);
  return Math.abs(now - millis) < 300 * DAY ? dayTime.format(millis) : yearTime.format(millis);
}

/** When, in full, with the zone. */
export function formatWholeMoment(unixNano: string): string {
  const millis = millisOf(unixNano);
  return Number.isNaN(millis) ? `${unixNano} ns, which no calendar has` : whole.format(millis);
}

/** `just now`, `4 s ago`, `2 h ago`. */
export function formatAgo(millis: number, now: number): string {
  const seconds = Math.round((now - millis) / 1000);
  if (Number.isNaN(seconds)) return 'never';
  if (seconds < 2) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} d ago`;
}
