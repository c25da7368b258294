import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from './json.js';
import { snapshot, snapshotOf } from './snapshot.js';
import { utf8Length } from './text.js';

const hostile = {
  get: () => {
    throw new Error('no');
  },
};

describe('snapshot of plain data', () => {
  it('is equal to it and not the same', () => {
    const source = { a: [1, 'two', true, null, { deep: [[]] }], b: { c: '' } };
    const copy = snapshot(source);
    expect(copy).toEqual(source);
    expect(copy).not.toBe(source);
  });

  it('leaves undefined out of objects and keeps the place in lists', () => {
    expect(snapshot({ a: undefined, b: [undefined, 1] })).toEqual({ b: [null, 1] });
    expect(snapshot(undefined)).toBe(null);
    // biome-ignore lint/suspicious/noSparseArray: a hole is the case
    expect(snapshot([1, , 2])).toEqual([1, null, 2]);
  });
});

describe('snapshot of built-in objects', () => {
  const cases: [string, unknown, JsonValue][] = [
    ['NaN', Number.NaN, 'NaN'],
    ['Infinity', -1 / 0, '-Infinity'],
    ['minus zero', -0, 0],
    ['BigInt', 12345678901234567890n, '12345678901234567890'],
    ['symbol', Symbol('x'), '[symbol x]'],
    ['function', function named() {}, '[function named]'],
    ['Date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['bad Date', new Date(Number.NaN), 'Invalid Date'],
    ['URL', new URL('https://example.org/a?b=1'), 'https://example.org/a?b=1'],
    ['RegExp', /a+/gi, '/a+/gi'],
    ['Buffer', Buffer.from('abc'), '[Buffer 3 bytes]'],
    ['typed array', new Float64Array(2), '[Float64Array 16 bytes]'],
    ['DataView', new DataView(new ArrayBuffer(4)), '[DataView 4 bytes]'],
    ['ArrayBuffer', new ArrayBuffer(5), '[ArrayBuffer 5 bytes]'],
    ['Promise', Promise.resolve(1), '[Promise]'],
    ['WeakMap', new WeakMap(), '[WeakMap]'],
    ['boxed', [Object(1), Object('s'), Object(false), Object(2n)], [1, 's', false, '2']],
    ['Map by name', new Map([['a', new Map()]]), { a: {} }],
    ['Map by object', new Map([[{ k: 1 }, 2]]), [[{ k: 1 }, 2]]],
    ['Set', new Set([1, new Set(['x'])]), [1, ['x']]],
    ['null prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ];
  it.each(cases)('%s', (_name, value, expected) => {
    expect(snapshot(value)).toEqual(expected);
    expect(snapshot({ value })).toEqual({ value: expected });
  });

  it('shows an error with its causes and fields, without a stack', () => {
    const error = Object.assign(new TypeError('outer', { cause: new Error('inner') }), { code: 'E1' });
    expect(snapshot(error)).toEqual({
      name: 'TypeError',
      message: 'outer',
      cause: { name: 'Error', message: 'inner' },
      code: 'E1',
    });
    expect(snapshot(new AggregateError([new Error('one')], 'all'))).toMatchObject({ errors: [{ message: 'one' }] });
  });

  it('shows own fields of a class instance and does not call toJSON', () => {
    class Point {
      x = 1;
      toJSON() {
        return 'called';
      }
    }
    expect(snapshot(new Point())).toEqual({ x: 1 });
  });
});

describe('snapshot of hostile values', () => {
  it('marks what cannot be read and goes on', () => {
    const source = Object.defineProperty({ a: 1, z: 2 } as object, 'bad', { ...hostile, enumerable: true });
    expect(snapshot({ source, list: [source, 3] })).toEqual({
      source: { a: 1, z: 2, bad: '[unreadable]' },
      list: [{ a: 1, z: 2, bad: '[unreadable]' }, 3],
    });
  });

  it('survives revoked proxies and throwing traps', () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const trap = () => {
      throw new Error('trap');
    };
    const proxy = new Proxy({}, { ownKeys: trap, get: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap });
    expect(snapshot(revoked.proxy)).toBe('[unreadable]');
    expect(snapshot([revoked.proxy, proxy, 1])).toEqual(['[unreadable]', '[unreadable]', 1]);
    const list = new Proxy([1, 2], { get: (target, key) => (key === 'length' ? 'many' : Reflect.get(target, key)) });
    expect(snapshot(list)).toEqual([]);
  });

  it('never pollutes a prototype', () => {
    const source = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
    const copy = snapshot(source) as object;
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true},"a":1}');
    expect(JSON.stringify(snapshot(new Map([['__proto__', 1]])))).toBe('{"__proto__":1}');
  });

  it('marks cycles, and copies a shared object twice', () => {
    const loop: Record<string, unknown> = { shared: { a: 1 } };
    loop.again = loop.shared;
    loop.self = [loop];
    expect(snapshot(loop)).toEqual({ shared: { a: 1 }, again: { a: 1 }, self: ['[circular]'] });
  });

  it('is bounded for depth, breadth and size', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(JSON.stringify(snapshotOf(deep))).toContain('[cut: depth]');
    expect(JSON.stringify(snapshot(deep, { depth: 1e9 })).length).toBeLessThan(1000);

    const huge: unknown[] = [];
    huge.length = 2 ** 32 - 1;
    const copy = snapshot(huge) as JsonValue[];
    expect(copy.length).toBe(1001);
    expect(copy.at(-1)).toBe('…[+4294966295 items]');

    const started = performance.now();
    expect(snapshot('x'.repeat(10_000_000))).toMatch(/^x+…\[\+9934\d+ chars\]$/);
    const endless: object = new Proxy(
      {},
      {
        ownKeys: () => ['a', 'b', 'c'],
        get: () => endless2(),
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }),
      },
    );
    const endless2 = () => new Proxy(endless, {});
    expect(snapshotOf(endless).truncated).toBe(true);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('does not ask for millions of fields that hold nothing', () => {
    let reads = 0;
    const empty = new Proxy(
      {},
      {
        ownKeys: () => Array.from({ length: 1000 }, (_, i) => `k${i}`),
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: undefined }),
        get: () => {
          reads++;
          return undefined;
        },
      },
    );
    snapshot(Array.from({ length: 1000 }, () => empty));
    expect(reads).toBeLessThan(100_000);
  });
});

describe('limits', () => {
  it('mark what they cut', () => {
    expect(snapshotOf([1, 2, 3], { breadth: 2 })).toMatchObject({ value: [1, 2, '…[+1 items]'], truncated: true });
    expect(snapshot({ a: 1, b: 2, c: 3 }, { breadth: 1 })).toEqual({ a: 1, '…': '[+2 keys]' });
    expect(snapshot(new Set([1, 2, 3]), { breadth: 2 })).toEqual([1, 2, '…[+1 items]']);
    expect(
      snapshot(
        new Map([
          ['a', 1],
          ['b', 2],
        ]),
        { breadth: 1 },
      ),
    ).toEqual({ a: 1, '…': '[+1 keys]' });
    expect(snapshot({ a: { b: {} } }, { depth: 2 })).toEqual({ a: { b: '[cut: depth]' } });
    expect(snapshotOf([1, 2]).truncated).toBe(false);
  });

  it('bound the whole copy', () => {
    const source = Array.from({ length: 500 }, (_, i) => ({ id: i, text: '€'.repeat(1000) }));
    const copy = snapshotOf(source, { bytes: 10_000 });
    expect(copy.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(copy.value))).toBeLessThan(10_200);
    expect(Buffer.byteLength(JSON.stringify(copy.value))).toBeGreaterThan(9_000);
  });

  it('ignore nonsense', () => {
    expect(snapshot({ a: 'b' }, { depth: Number.NaN, breadth: -1 })).toEqual({ a: 'b' });
  });
});

describe('any value', () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    withUnicodeString: true,
    maxDepth: 6,
  } as fc.ObjectConstraints);
  const wrapped = anything.map((value) =>
    typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) ? new Proxy(value, {}) : value,
  );

  it('becomes JSON that reads back the same', () => {
    fc.assert(
      fc.property(fc.oneof(anything, wrapped, fc.string({ unit: 'binary' })), (value) => {
        const copy = snapshot(value);
        const text = JSON.stringify(copy);
        expect(JSON.parse(text)).toEqual(copy);
        expect(Buffer.from(text).toString()).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the limits', () => {
    const limits = fc.record({ depth: fc.nat(8), breadth: fc.nat(20), string: fc.nat(60), bytes: fc.nat(400) });
    fc.assert(
      fc.property(anything, limits, (value, bounds) => {
        const copy = snapshotOf(value, bounds);
        expect(depthOf(copy.value)).toBeLessThanOrEqual(bounds.depth);
        expect(bytesOf(copy.value)).toBeLessThanOrEqual(bounds.bytes + 64 * (bounds.depth + 1));
      }),
      { numRuns: 2000 },
    );
  });

  it('is whole where the limits leave room', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = snapshotOf(value, { depth: 100 });
        expect(copy.truncated).toBe(false);
        expect(JSON.stringify(copy.value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 1000 },
    );
  });
});

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function bytesOf(value: JsonValue): number {
  if (typeof value === 'string') return utf8Length(value) + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + bytesOf(item) + 1, 2);
  return Object.entries(value).reduce((sum, [key, item]) => sum + utf8Length(key) + 4 + bytesOf(item), 2);
}
