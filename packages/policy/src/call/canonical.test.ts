import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, frozenCopy } from './canonical.js';

const isDeeplyFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));

describe('frozenCopy', () => {
  it('is what JSON says of it, exactly, for any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { value: copy, json, problem } = frozenCopy(value);
        fc.pre(problem === undefined);
        expect(JSON.parse(json as string)).toStrictEqual(copy);
        expect(copy).toStrictEqual(value);
        expect(isDeeplyFrozen(copy)).toBe(true);
        expect(frozenCopy(copy).json).toBe(json);
      }),
    );
  });

  it('is the same text for the same values in any order of keys, and another for any other value', () => {
    expect(canonicalJson({ b: 1, a: [{ d: 1, c: -0 }], 10: 1, 9: 2 })).toBe(
      '{"10":1,"9":2,"a":[{"c":-0,"d":1}],"b":1}',
    );
    expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }));
  });

  it('keeps a key named __proto__ as a key', () => {
    const args = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":1}}') as object;
    const { value, json } = frozenCopy(args);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect((value as { admin?: unknown }).admin).toBeUndefined();
    expect(json).toBe('{"__proto__":{"admin":true},"constructor":{"prototype":1}}');
  });

  class Money {
    readonly cents = 1;
  }
  const hidden = Object.defineProperty({ a: 1 }, 'b', { value: 2, enumerable: false });
  // biome-ignore lint/suspicious/noSparseArray: that is what is tested
  const holes = [1, , 3];
  it.each<[string, unknown, string]>([
    ['undefined', { a: undefined }, 'args.a is undefined'],
    ['a function', { a: { 'b c': [() => 1] } }, 'args.a["b c"][0] is a function'],
    ['a symbol', { a: Symbol('s') }, 'args.a is a symbol'],
    ['a bigint', { a: 1n }, 'args.a is a bigint'],
    ['NaN', { a: Number.NaN }, 'args.a is NaN'],
    ['infinity', [Number.NEGATIVE_INFINITY], 'args[0] is -Infinity'],
    ['half a pair', { a: '\ud83d' }, 'args.a has half a surrogate pair'],
    ['half a pair in a key', { '\udc00': 1 }, 'half a surrogate pair'],
    ['a date', { a: new Date(0) }, 'args.a is an object of a class (Date)'],
    ['an instance', { a: new Money() }, 'args.a is an object of a class (Object)'],
    ['a map', { a: new Map() }, 'args.a is an object of a class (Map)'],
    ['toJSON', { toJSON: () => 'other' }, 'args.toJSON is a function'],
    ['hidden properties', hidden, 'args has properties that are hidden'],
    ['symbols as names', { [Symbol('s')]: 1 }, 'args has properties that are hidden or named by symbols'],
    ['holes', holes, 'args is a list with holes'],
    [
      'properties of a list',
      Object.assign([1], { extra: 1 }),
      'args is a list with holes or with properties of its own',
    ],
  ])('says what JSON cannot say: %s', (_name, value, problem) => {
    const copy = frozenCopy(value);
    expect(copy.json).toBeUndefined();
    expect(copy.problem).toContain(problem);
    expect(() => canonicalJson(value, 'args')).toThrow(problem);
  });

  it('refuses what has no end', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = [cycle];
    expect(() => frozenCopy(cycle)).toThrow('contains itself');
    let deep: unknown = 1;
    for (let i = 0; i < 300; i++) deep = [deep];
    expect(() => frozenCopy(deep)).toThrow('deeper than 200 levels');
    expect(() => frozenCopy(new Array(4_000_000_000))).toThrow('more than 2000000 values');
  });

  it('allows one object in two places', () => {
    const shared = { a: 1 };
    expect(frozenCopy([shared, shared]).json).toBe('[{"a":1},{"a":1}]');
  });

  it('reads a getter once, and never again', () => {
    let reads = 0;
    const { value, json } = frozenCopy({
      get command() {
        return reads++ === 0 ? 'ls' : 'rm -rf /';
      },
    });
    expect([value.command, value.command, json, reads]).toEqual(['ls', 'ls', '{"command":"ls"}', 1]);
  });

  it('is its own, whatever happens to the value', () => {
    const args = { to: { account: 'a' } };
    const { value } = frozenCopy(args);
    args.to.account = 'b';
    expect(value.to.account).toBe('a');
    expect(() => {
      value.to.account = 'c';
    }).toThrow(TypeError);
  });

  it('takes a megabyte in its stride', () => {
    const began = performance.now();
    frozenCopy({ text: 'a'.repeat(1_000_000), list: Array.from({ length: 50_000 }, (_, i) => ({ i })) });
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
