/** A number of tokens or things: exact below 10,000, then `12.3k`, `1.24M`. Unknown is a dash, never 0. */
export function formatAmount(count: number | null | undefined): string {
  if (count === null || count === undefined) return '–';
  if (count < 10_000) return String(count);
  if (count < 999_950) return `${(count / 1e3).toFixed(1)}k`;
  return count < 999_995_000 ? `${(count / 1e6).toFixed(2)}M` : `${(count / 1e9).toFixed(2)}G`;
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}

/** `812 B`, `1.2 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${units[unit]}`;
}
