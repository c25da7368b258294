/** Of a process whose global object takes nothing: then each copy of this package has its own. */
const own = new Map<symbol, unknown>();

/**
 * What all copies of this package share, as ES module and bundled alike, under a symbol of `Symbol.for`. Anything may stand
 * there: what `isOne` refuses is replaced by what `make` gives. Throws only what `make` throws.
 */
export function processWide<T>(key: symbol, isOne: (value: unknown) => boolean, make: () => T): T {
  const found = known<T>(key, isOne);
  if (found !== undefined) return found;
  const made = make();
  try {
    const isTaken = Reflect.set(globalThis, key, made) && (globalThis as Record<symbol, unknown>)[key] === made;
    if (!isTaken) own.set(key, made);
  } catch {
    own.set(key, made);
  }
  return made;
}

/** The same, where it is there already. Never throws. */
export function known<T>(key: symbol, isOne: (value: unknown) => boolean): T | undefined {
  try {
    const value = (globalThis as Record<symbol, unknown>)[key];
    if (value !== undefined && value !== null && isOne(value)) return value as T;
  } catch {
    // What throws when it is looked at is not one.
  }
  return own.get(key) as T | undefined;
}

/** Whether a value has these methods. */
export const hasMethods =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
