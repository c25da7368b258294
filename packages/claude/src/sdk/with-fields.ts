/**
 * A copy with these fields in place of its own. What the program's class gives, by a prototype or its getters, the copy gives as well:
 * getters run on the object that they are of, and only when they are asked.
 */
export function withFields(given: unknown, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...(given as object), ...fields };
  if (typeof given !== 'object' || given === null) return copy;
  for (let one: object | null = given; one !== null && one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const key of Reflect.ownKeys(one)) {
      if (key === 'constructor' || Object.hasOwn(copy, key)) continue;
      Object.defineProperty(copy, key, { get: () => Reflect.get(given, key), configurable: true });
    }
  }
  return copy;
}
