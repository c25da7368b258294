/** Runs in place of a method. `call` calls the method itself, with the receiver and arguments it was called with. */
export type Around = (receiver: object, args: readonly unknown[], call: () => unknown) => unknown;

type Method = (...args: unknown[]) => unknown;

/**
 * Has each call of a method pass `around`. The method looks the same as before, with the properties it has. Returns what
 * ends it; whoever holds the method by then calls the original one.
 *
 * @throws TypeError where the owner is frozen.
 */
export function wrapMethod(owner: object, name: string, around: Around): () => void {
  const original = Reflect.get(owner, name) as Method;
  const own = Object.getOwnPropertyDescriptor(owner, name);
  let isActive = true;
  const value = new Proxy(original, {
    apply(target, receiver, args) {
      const call = () => Reflect.apply(target, receiver, args);
      return isActive ? around(receiver, args, call) : call();
    },
  });
  Object.defineProperty(owner, name, {
    value,
    configurable: true,
    writable: true,
    enumerable: own?.enumerable ?? false,
  });
  return () => {
    isActive = false;
    // Who wrapped it again keeps that.
    if (Object.getOwnPropertyDescriptor(owner, name)?.value !== value) return;
    if (own === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, own);
  };
}

/** The object in the chain of prototypes that has the method, which may be `object` itself. */
export function ownerOf(object: object, name: string): object | undefined {
  let owner: object | null = object;
  while (owner !== null && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
  return owner === null || typeof Reflect.get(owner, name) !== 'function' ? undefined : owner;
}
