const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Milliseconds in the unit a person would use, in at most 7 columns: `0`, `85µs`, `1.24ms`, `412ms`, `1.84s`, `12.3s`,
 * `1m 02s`, `3h 07m`, `2d 05h`, `120d`. Negative ones have a minus.
 */
export function formatDuration(millis: number): string {
  if (!Number.isFinite(millis)) return '?';
  if (millis < 0) return `-${formatDuration(-millis)}`;
  if (millis < 0.0005) return '0';
  // Each bound is where rounding would give the next unit.
  if (millis < 0.9995) return `${Math.round(millis * 1000)}µs`;
  if (millis < 999.5) return `${threeDigits(millis)}ms`;
  if (millis < 59.95 * SECOND) return `${threeDigits(millis / SECOND)}s`;
  const seconds = Math.round(millis / SECOND);
  if (seconds < 3600) return parts(seconds, 60, 'm', 's');
  const minutes = Math.round(millis / MINUTE);
  if (minutes < 24 * 60) return parts(minutes, 60, 'h', 'm');
  const hours = Math.round(millis / HOUR);
  return hours < 100 * 24 ? parts(hours, 24, 'd', 'h') : `${Math.round(millis / DAY)}d`;
}

function threeDigits(value: number): string {
  if (value < 9.995) return value.toFixed(2);
  return value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

function parts(amount: number, size: number, large: string, small: string): string {
  return `${Math.floor(amount / size)}${large} ${String(amount % size).padStart(2, '0')}${small}`;
}
