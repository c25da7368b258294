const LENGTH = 16;
let pool = '';
let used = 0;

/** An id that an agent gave, as text; `undefined` when it is empty or none. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `prefix` and 16 random hex digits: enough that turns of many processes never share a trace. */
export function newId(prefix: string): string {
  // One call to the system for many ids.
  if (used === pool.length) {
    pool = Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(LENGTH * 32))).toString('hex');
    used = 0;
  }
  used += LENGTH;
  return prefix + pool.slice(used - LENGTH, used);
}
