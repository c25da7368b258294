/** An object like another one but for some of its properties. */
export function copied<T extends object>(original: T, replaced: Readonly<Record<string, unknown>>): T {
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(original);
  for (const [name, value] of Object.entries(replaced)) {
    const enumerable = descriptors[name]?.enumerable ?? false;
    descriptors[name] = { value, enumerable, configurable: true, writable: true };
  }
  return Object.create(Object.getPrototypeOf(original), descriptors);
}
