import * as z from 'zod';

const BYTES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};
const MILLIS: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 };

/** A number with one of the units, as a whole number of the smallest one. `undefined` for anything else. */
function amountOf(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, digits, name = ''] = /^(\d+(?:\.\d+)?) ?([a-zA-Z]+)$/.exec(text.trim()) ?? [];
  const unit = Object.entries(units).find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];
  if (digits === undefined || unit === undefined) return undefined;
  const amount = Math.round(Number(digits) * unit);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** A size in bytes, written with its unit (`16MiB`), from `least` to `most`. */
export function size(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return quantity(BYTES, sizeText, 'a size with its unit, such as 64MiB', least, most);
}

/** A time in milliseconds, written with its unit (`30s`), from `least` to `most`. */
export function duration(least: number, most = 366 * 86_400e3) {
  return quantity(MILLIS, durationText, 'a time with its unit, such as 500ms, 30s, 5m, 12h or 7d', least, most);
}

/** Like `duration` or `size`, or `off`. */
export function orOff<T extends z.ZodType<number>>(schema: T) {
  return z.union([z.literal('off'), z.literal(false).transform((): 'off' => 'off'), schema], {
    error: ({ input }) => {
      const problem = schema.safeParse(input).error?.issues[0]?.message ?? 'is no such value';
      return `${problem}; or off`;
    },
  });
}

function quantity(
  units: Readonly<Record<string, number>>,
  text: (amount: number) => string,
  wanted: string,
  least: number,
  most: number,
) {
  return z.unknown().transform((value, context): number => {
    const isZero = value === 0 || value === '0';
    const amount = isZero ? 0 : typeof value === 'string' ? amountOf(value, units) : undefined;
    if (amount === undefined) return refuse(context, `must be ${wanted}`);
    if (amount >= least && amount <= most) return amount;
    return refuse(context, `must be from ${text(least)} to ${text(most)}`);
  });
}

function refuse(context: z.RefinementCtx, message: string): number {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** Bytes in the largest binary unit that leaves a whole number: `64MiB`. */
export function sizeText(bytes: number): string {
  return shortest(bytes, { TiB: 2 ** 40, GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10, B: 1 });
}

/** Milliseconds in the largest unit that leaves a whole number: `5m`. */
export function durationText(millis: number): string {
  return shortest(millis, { d: 86_400e3, h: 3_600e3, m: 60e3, s: 1e3, ms: 1 });
}

function shortest(amount: number, units: Readonly<Record<string, number>>): string {
  const [name, unit] = Object.entries(units).find(([, one]) => amount !== 0 && amount % one === 0) ?? ['', 1];
  return `${amount / unit}${name}`;
}
