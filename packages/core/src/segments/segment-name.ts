const DIGITS = 16;
const NAME = /^(\d{16})\.seg$/;

/** `0000000000000500.seg`: names sort as positions do, and 16 digits hold every safe integer. */
export function segmentName(first: number): string {
  return `${String(first).padStart(DIGITS, '0')}.seg`;
}

/** Position of the first record of the segment of that name; undefined for any other file. */
export function firstPosition(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1];
  const first = digits === undefined ? Number.NaN : Number(digits);
  return Number.isSafeInteger(first) ? first : undefined;
}
