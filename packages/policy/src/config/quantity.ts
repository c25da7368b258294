import * as z from 'zod';

const MILLIS: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 };
const BYTES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

function quantity(units: Readonly<Record<string, number>>, wanted: string) {
  return z.unknown().transform((value, context): number => {
    const [, digits, name = ''] =
      /^(\d+(?:\.\d+)?) ?([a-zA-Z]+)$/.exec(typeof value === 'string' ? value.trim() : '') ?? [];
    const unit = Object.hasOwn(units, name) ? units[name] : undefined;
    const amount = Math.round(Number(digits) * (unit ?? Number.NaN));
    if (Number.isSafeInteger(amount) && amount > 0) return amount;
    context.addIssue({ code: 'custom', message: `must be ${wanted}` });
    return z.NEVER;
  });
}

/** A time with its unit (`30s`), in milliseconds. */
export const duration = quantity(MILLIS, 'a time with its unit, such as 500ms, 30s, 5m, 12h or 7d');

/** A time, or `never`, which is `Infinity`. */
export const durationOrNever = z.unknown().transform((value, context): number => {
  if (value === 'never') return Number.POSITIVE_INFINITY;
  const { data, error } = duration.safeParse(value);
  if (data !== undefined) return data;
  context.addIssue({ code: 'custom', message: `${error?.issues[0]?.message ?? 'is no time'}; or never` });
  return z.NEVER;
});

/** A size with its unit (`64MiB`), in bytes. */
export const size = quantity(BYTES, 'a size with its unit, such as 64KiB or 64MiB');
