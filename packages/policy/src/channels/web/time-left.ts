/** How long a request can still be answered, in words. Times are Unix milliseconds; `null`: for ever. */
export function leftOf(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return 'no time limit';
  return expiresAt <= now ? 'no time left' : `${span(expiresAt - now)} left`;
}

/** How long ago something was, in words. */
export function agoOf(then: number, now: number): string {
  return now - then < 1000 ? 'now' : `${span(now - then)} ago`;
}

/** Rounded down: nobody is promised time that there is not. */
function span(ms: number): string {
  if (ms >= 2 * 86_400_000) return `${Math.floor(ms / 86_400_000)} days`;
  if (ms >= 2 * 3_600_000) return `${Math.floor(ms / 3_600_000)} h`;
  return ms >= 2 * 60_000 ? `${Math.floor(ms / 60_000)} min` : `${Math.floor(ms / 1000)} s`;
}
