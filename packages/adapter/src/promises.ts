import { types } from 'node:util';

/**
 * Whether it is a promise: a native one, of any class and any context, or one of what a program put in place of `Promise`.
 * After that, `instanceof Promise` is false for what async functions give.
 */
export const isPromise = (value: unknown): value is Promise<unknown> =>
  types.isPromise(value) || value instanceof Promise;
