/**
 * The fields of what an agent passed, each read once. What cannot be read (a getter that throws, a proxy, no object at
 * all) is absent: a payload must not keep the agent's function from being called.
 */
export function readFields<T extends object>(given: T, names: readonly (keyof T)[]): Partial<T> {
  const read: Partial<T> = {};
  for (const name of names) {
    try {
      const value = (given as T | null | undefined)?.[name];
      if (value !== undefined) read[name] = value;
    } catch {
      // The other fields may say enough.
    }
  }
  return read;
}
