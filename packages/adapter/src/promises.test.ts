import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { isPromise } from './promises.js';

it('knows promises and what extends them', () => {
  class Own extends Promise<unknown> {}
  expect(isPromise(Promise.resolve(1))).toBe(true);
  expect(isPromise(Own.resolve(1))).toBe(true);
});

it('knows those of another context', () => {
  expect(isPromise(runInNewContext('Promise.resolve(1)'))).toBe(true);
});

it('knows native ones, and those of another class, where the program replaced the class', () => {
  class Replaced {
    // biome-ignore lint/suspicious/noThenProperty: it stands for a promise
    then() {}
  }
  const { Promise: native } = globalThis;
  let found: boolean[];
  try {
    globalThis.Promise = Replaced as never;
    found = [isPromise((async () => 1)()), isPromise(new Replaced())];
  } finally {
    globalThis.Promise = native;
  }
  expect(found).toEqual([true, true]);
});

it('takes nothing else for one', () => {
  // biome-ignore lint/suspicious/noThenProperty: a thenable is none
  for (const value of [undefined, null, 1, 'x', {}, { then() {} }]) expect(isPromise(value)).toBe(false);
});
