/** A number of tokens: exact below 10,000, then `12.3k`, `1.24M`, `3.10G`. */
export function formatTokens(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return count < 999_995_000 ? `${(count / 1e6).toFixed(2)}M` : `${(count / 1e9).toFixed(2)}G`;
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
