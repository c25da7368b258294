import type { Context } from '@opentelemetry/api';
import { apiGlobals } from './globals.js';

/** Keys of contexts are global symbols of their text, so that copies of the API understand each other. */
export const contextKey = (text: string): symbol => Symbol.for(text);

/** Set in a context in which no spans are to be made: the key of `suppressTracing()` in `@opentelemetry/core`. */
export const SUPPRESS_TRACING = contextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

class PlainContext implements Context {
  readonly #values: ReadonlyMap<symbol, unknown>;

  constructor(values: ReadonlyMap<symbol, unknown>) {
    this.#values = values;
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return new PlainContext(new Map(this.#values).set(key, value));
  }

  deleteValue(key: symbol): Context {
    const values = new Map(this.#values);
    values.delete(key);
    return new PlainContext(values);
  }
}

export const ROOT_CONTEXT: Context = new PlainContext(new Map());

/** The context of the code that runs; the root one where nobody registered a context manager. */
export function active(): Context {
  return apiGlobals()?.context?.active() ?? ROOT_CONTEXT;
}

/** Whether someone keeps account of active contexts. */
export const hasManager = (): boolean => apiGlobals()?.context !== undefined;

/** Calls `fn` at once, with `context` as the active one, and gives what it returns. */
export function run<T>(context: Context, fn: () => T): T {
  const manager = apiGlobals()?.context;
  return manager === undefined ? fn() : manager.with(context, fn);
}
