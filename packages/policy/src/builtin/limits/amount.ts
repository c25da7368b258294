/** Amounts are whole millionths, so that sums are exact. */
export const SCALE = 1_000_000n;
const DECIMALS = 6;

/**
 * An amount in millionths. A text says why it is none: programs read `1,000`, `1.000` and `1e3` in different ways, and who
 * guesses another one than the tool lets through what is over a limit.
 */
export function readAmount(value: unknown): bigint | string {
  const text = typeof value === 'number' ? plain(value) : value;
  if (typeof text !== 'string') return 'is no number';
  const [, whole, decimals = ''] = /^(\d{1,30})(?:\.(\d{1,40}))?$/.exec(text) ?? [];
  if (whole === undefined) return /^-/.test(text) ? 'is negative' : 'is no plain number, such as 1000 or 1000.50';
  if (typeof value === 'string' && decimals.length === 3 && whole !== '0')
    return 'could be read in two ways: its three decimals may be thousands';
  const millionths = BigInt(whole) * SCALE + BigInt(decimals.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
  // What is finer counts as one more.
  return /[1-9]/.test(decimals.slice(DECIMALS)) ? millionths + 1n : millionths;
}

function plain(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const text = String(value);
  if (!text.includes('e')) return text;
  if (Math.abs(value) >= 1) return BigInt(value).toString();
  // Too small for any digit here, and yet not nothing.
  return value > 0 && value < 1e-19 ? '0.00000000000000000001' : value.toFixed(20);
}

export function formatAmount(millionths: bigint): string {
  const decimals = (millionths % SCALE).toString().padStart(DECIMALS, '0').replace(/0+$/, '');
  return `${millionths / SCALE}${decimals === '' ? '' : `.${decimals.padEnd(2, '0')}`}`;
}
