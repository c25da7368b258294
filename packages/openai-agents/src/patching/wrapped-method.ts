/** Runs in place of a method. `call` calls the method itself, with the receiver and arguments it was called with. */
export type Around = (receiver: object, args: readonly unknown[], call: () => unknown) => unknown;

type Method = (...args: unknown[]) => unknown;

/** A method that is wrapped, once, for all who follow it. */
interface Wrapped {
  readonly value: Method;
  /** The last one is called first. */
  layers: readonly Around[];
  /** What stood there before; `undefined` where it was inherited. */
  readonly own: PropertyDescriptor | undefined;
}

const wrapped = new WeakMap<object, Map<string, Wrapped>>();

/**
 * Has each call of a method pass `around`. The method looks the same as before, with the properties it has. Returns what
 * ends it; when all have ended it, the owner has its own method back.
 *
 * @throws TypeError where the owner is frozen.
 */
export function wrapMethod(owner: object, name: string, around: Around): () => void {
  const methods = wrapped.get(owner) ?? new Map<string, Wrapped>();
  wrapped.set(owner, methods);
  const known = methods.get(name);
  // Who replaced it since has a method of their own, which is wrapped again.
  const method = known !== undefined && ownValue(owner, name) === known.value ? known : wrap(owner, name);
  methods.set(name, method);
  method.layers = [...method.layers, around];
  return () => {
    method.layers = method.layers.filter((layer) => layer !== around);
    if (method.layers.length > 0) return;
    if (methods.get(name) === method) methods.delete(name);
    if (ownValue(owner, name) !== method.value) return;
    if (method.own === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, method.own);
  };
}

function wrap(owner: object, name: string): Wrapped {
  const original = Reflect.get(owner, name) as Method;
  const own = Object.getOwnPropertyDescriptor(owner, name);
  const value = new Proxy(original, {
    apply(target, receiver, args) {
      let call = () => Reflect.apply(target, receiver, args);
      for (const layer of method.layers) {
        const inner = call;
        call = () => layer(receiver, args, inner);
      }
      return call();
    },
  });
  const method: Wrapped = { value, layers: [], own };
  Object.defineProperty(owner, name, {
    value,
    configurable: true,
    writable: true,
    enumerable: own?.enumerable ?? false,
  });
  return method;
}

const ownValue = (owner: object, name: string): unknown => Object.getOwnPropertyDescriptor(owner, name)?.value;

/** The object in the chain of prototypes that has the method, which may be `object` itself. */
export function ownerOf(object: object, name: string): object | undefined {
  let owner: object | null = object;
  while (owner !== null && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
  return owner === null || typeof Reflect.get(owner, name) !== 'function' ? undefined : owner;
}
