// Values that no agent should send, and some will.

const throws = () => {
  throw new Error('hostile');
};

/** Everything that is done to it throws. */
const trapped = () => new Proxy({}, new Proxy({}, { get: () => throws }));

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function deep(depth) {
  let value = 'bottom';
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { value } : [value];
  return value;
}

function circle() {
  const value = { list: [] };
  value.self = value;
  value.list.push(value);
  return value;
}

function withGetters() {
  const value = { turn_id: 't1' };
  Object.defineProperty(value, 'type', { enumerable: true, get: throws });
  Object.defineProperty(value, 'message', { enumerable: true, get: () => value });
  return value;
}

/** A number that is another one each time. */
function fickle() {
  let n = 0;
  return { toString: () => String(n++), valueOf: () => n++, toJSON: () => n++ };
}

class Strange extends Map {
  get size() {
    return throws();
  }
}

const rejected = () => {
  const promise = Promise.reject(new Error('rejected'));
  promise.catch(() => {});
  return promise;
};

/** Values that JSON can carry. */
const PLAIN = [
  () => '',
  () => null,
  () => 0,
  () => -1,
  () => 1.5,
  () => 2 ** 53 + 2,
  () => -1e300,
  () => true,
  () => [],
  () => ({}),
  () => [null, 1, 'x', { a: [] }],
  () => '\ud800',
  () => 'a\udfff\ud83d',
  () => '\u0000\u0007\u2028\ufeff',
  () => '😀'.repeat(40),
  () => '__proto__',
  () => 'constructor',
  () => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  () => JSON.parse('{"toString":1,"valueOf":2,"hasOwnProperty":3,"then":4,"length":1e9}'),
  () => '{"a":[1,{"b":"\\ud800"',
  () => 'Infinity',
  () => `https://user:pass@host:99999/${'a/'.repeat(50)}`,
  () => 'http://[::1',
  () => deep(60),
  () => Array.from({ length: 200 }, (_, i) => ({ role: 'user', content: `${i}` })),
  () => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key ${i}`, i])),
];

/** Values that only a live object can have. */
const LIVE = [
  () => undefined,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => -0,
  () => 10n ** 40n,
  () => Symbol('s'),
  () => throws,
  () => async () => throws(),
  trapped,
  revoked,
  circle,
  withGetters,
  fickle,
  rejected,
  // biome-ignore lint/suspicious/noThenProperty: that is the point
  () => ({ then: throws }),
  // biome-ignore lint/suspicious/noThenProperty: that is the point
  () => ({ then: (_resolve, reject) => reject(new Error('thenable')) }),
  () => ({ toJSON: throws, toString: throws, [Symbol.toPrimitive]: throws }),
  () => new Date(Number.NaN),
  () => new Date(8.64e15),
  () => new Map([[{}, trapped()]]),
  () => new Set([new Set(), Symbol('in'), 1n]),
  () => new Strange(),
  () => Object.create(null),
  () => Object.create({ inherited: 1, turn_id: 't1' }),
  () => Object.freeze({ turn_id: 't1', status: 'ok' }),
  () => Object.assign([1, 2], { turn_id: 't1' }),
  () => new Array(2 ** 32 - 1),
  // biome-ignore lint/suspicious/noSparseArray: that is the point
  () => [, , 3],
  () => Buffer.from([0, 255, 254]),
  () => new Float64Array(8),
  () => new Error('\ud800', { cause: circle() }),
  () => new AggregateError([trapped(), 1], 'many'),
  () => new String('boxed'),
  () => Object(7n),
  () => /(a+)+$/g,
  () => new WeakMap(),
  () => globalThis,
  () => deep(10_000),
];

/** Values that cost time or memory; they come rarely. */
const LARGE = [
  () => 'x'.repeat(2_000_000),
  () => '😀\ud800'.repeat(200_000),
  () => deep(2_000),
  () => Array.from({ length: 50_000 }, (_, i) => i),
  () => Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, { i }])),
];
const RARE = 4_000;

/** Some hostile value; `isLive` allows what JSON cannot carry. */
export function hostileValue(random, isLive) {
  if (random.oneIn(RARE)) return random.of(LARGE)();
  return (isLive && random.oneIn(2) ? random.of(LIVE) : random.of(PLAIN))();
}

/** A field of `payload` that throws, or gives another value each time, when it is read. */
export function spoilField(random, payload, name) {
  const get = random.oneIn(2) ? throws : () => hostileValue(random, true);
  Object.defineProperty(payload, name, { enumerable: true, configurable: true, get });
}
