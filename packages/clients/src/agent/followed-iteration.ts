import { isPromise } from '@hermes-observer/adapter';
import { fieldsOf } from '../answer/fields.js';

/** Told how reading something ends. May not throw. */
interface IterationListener {
  /** It was read to its end, with what the iterator returned. */
  done(value: unknown): void;
  /** The program reads no further. */
  left(): void;
  failed(error: unknown): void;
}

type Method = (...args: unknown[]) => unknown;
type Enter = (fn: () => unknown) => unknown;

const METHODS = ['next', 'return', 'throw'] as const;

/**
 * Has each step of an async generator, or of what else is read by `for await` alone, run in `enter`, and `listener` told of its
 * end. It stays the same object, and nothing is read before the program reads. False where `value` is no such thing: streams of
 * the clients, of the web and of Node.js can be read in other ways.
 */
export function followIteration(value: unknown, enter: Enter, listener: IterationListener): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { [Symbol.asyncIterator as never]: iterate, next, on, getReader, controller } = fieldsOf(value);
  if (typeof iterate !== 'function') return false;
  if (typeof next === 'function') {
    followIterator(value, enter, listener);
    return true;
  }
  if (on !== undefined || getReader !== undefined || controller !== undefined) return false;
  replace(value, Symbol.asyncIterator, () => {
    const iterator = enter(() => Reflect.apply(iterate, value, []) as unknown) as object;
    followIterator(iterator, enter, listener);
    return iterator;
  });
  return true;
}

function followIterator(iterator: object, enter: Enter, listener: IterationListener): void {
  const failed = (error: unknown): never => {
    listener.failed(error);
    throw error;
  };
  for (const name of METHODS) {
    const method = fieldsOf(iterator)[name];
    if (typeof method !== 'function') continue;
    const told = (result: unknown) => {
      const { done, value } = fieldsOf(result);
      if (done !== true) return result;
      if (name === 'return') listener.left();
      else listener.done(value);
      return result;
    };
    replace(iterator, name, (...args) => {
      let step: unknown;
      try {
        step = enter(() => Reflect.apply(method, iterator, args) as unknown);
      } catch (error) {
        return failed(error);
      }
      return isPromise(step) ? step.then(told, failed) : told(step);
    });
  }
}

function replace(object: object, name: PropertyKey, value: Method): void {
  Object.defineProperty(object, name, { value, configurable: true, writable: true });
}
