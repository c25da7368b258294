import { afterEach, expect, it } from 'vitest';
import { hasMethods, known, processWide } from './process-wide.js';

const KEY = Symbol.for('hermes.observer.test.1');
const place = globalThis as { [KEY]?: unknown };
const isOne = hasMethods('get');
afterEach(() => {
  Reflect.deleteProperty(globalThis, KEY);
});

it('is made once', () => {
  expect(known(KEY, isOne)).toBeUndefined();
  const made = processWide(KEY, isOne, () => new Map());
  expect(processWide(KEY, isOne, () => new Map())).toBe(made);
  expect(known(KEY, isOne)).toBe(made);
  expect(place[KEY]).toBe(made);
});

it.each([
  [null],
  [0],
  ['x'],
  [{}],
  [
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
      },
    ),
  ],
])('takes the place of what is none: %#', (value) => {
  place[KEY] = value;
  expect(known(KEY, isOne)).toBeUndefined();
  const made = processWide(KEY, isOne, () => new Map());
  expect(place[KEY]).toBe(made);
});

it('is one of this copy where the place cannot be taken', () => {
  const key = Symbol.for('hermes.observer.test.2');
  Object.defineProperty(globalThis, key, { value: {}, configurable: false, writable: false });
  const made = processWide(key, isOne, () => new Map());
  expect(processWide(key, isOne, () => new Map())).toBe(made);
  expect(known(key, isOne)).toBe(made);
});
