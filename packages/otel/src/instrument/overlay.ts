export type Method = (...args: unknown[]) => unknown;

/** What a call of a method does instead. `method` is bound to the object itself. */
export type Replacement = (method: Method, args: unknown[]) => unknown;

/** A property that no overlay may show differently: frozen on the object itself. */
export const isFixed = (target: object, key: PropertyKey) => {
  const own = Reflect.getOwnPropertyDescriptor(target, key);
  return own !== undefined && own.configurable === false && own.writable !== true;
};

/**
 * The object with some methods replaced; everything else, `instanceof` included, is its own. Methods and accessors run on
 * the object itself, since private fields know only that. A method that returns the object returns the overlay.
 */
export function overlay<T extends object>(target: T, replace: (key: PropertyKey) => Replacement | undefined): T {
  const wrappers = new Map<PropertyKey, { readonly original: Method; readonly wrapper: Method }>();
  const proxy: T = new Proxy(target, {
    get(_target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function' || key === 'constructor' || isFixed(target, key)) return value;
      const original = value as Method;
      const known = wrappers.get(key);
      if (known?.original === original) return known.wrapper;
      const replacement = replace(key);
      const wrapper = new Proxy(original, {
        apply(_method, self, args: unknown[]) {
          if (self !== proxy && self !== target) return Reflect.apply(original, self, args);
          const bound: Method = (...given) => Reflect.apply(original, target, given);
          const result = replacement === undefined ? bound(...args) : replacement(bound, args);
          return result === target ? proxy : result;
        },
      });
      wrappers.set(key, { original, wrapper });
      return wrapper;
    },
    set: (_target, key, value) => Reflect.set(target, key, value, target),
  });
  return proxy;
}
