type Method = (...args: unknown[]) => unknown;
type Around = (call: () => unknown) => unknown;

/** Of all observers: each adds to what is there, so that the method is put back once. */
const waiting = new WeakMap<object, Around[]>();

/**
 * Has the next call of a method pass `around`, if it comes before the code that runs now ends. Before the method runs, and
 * in any case by then, the object has its own method back: the SDK knows methods of tools by their identity.
 *
 * @throws TypeError where the object cannot be changed.
 */
export function onNextCall(object: object, name: string, around: Around): void {
  const known = waiting.get(object);
  if (known !== undefined) {
    known.push(around);
    return;
  }
  const own = Object.getOwnPropertyDescriptor(object, name);
  const original = Reflect.get(object, name) as Method;
  if (typeof original !== 'function') return;
  const layers = [around];
  const value = function (this: unknown, ...args: unknown[]): unknown {
    putBack();
    let call = () => Reflect.apply(original, this, args);
    for (const layer of layers.splice(0)) {
      const inner = call;
      call = () => layer(inner);
    }
    return call();
  };
  const putBack = () => {
    if (!waiting.delete(object) || Object.getOwnPropertyDescriptor(object, name)?.value !== value) return;
    if (own === undefined) Reflect.deleteProperty(object, name);
    else Object.defineProperty(object, name, own);
  };
  Object.defineProperty(object, name, {
    value,
    configurable: true,
    writable: true,
    enumerable: own?.enumerable ?? false,
  });
  if (Object.getOwnPropertyDescriptor(object, name)?.value !== value) throw new TypeError(`${name} cannot be replaced`);
  waiting.set(object, layers);
  queueMicrotask(putBack);
}
