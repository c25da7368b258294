// Spans as no receiver wants them, each kind with what of it may arrive; and healthy ones of every size.
import { createResource } from '@hermes-observer/otel';

const KIB = 1024;
const MIB = KIB * KIB;
const START = 1_790_000_000;
const resource = createResource({ 'service.name': 'pipeline' });
const scope = { name: 'pipeline', version: '1' };
const id = (number, digits) => number.toString(16).padStart(digits, '0');
const textOf = (bytes, seed = 'x') => `${seed} `.repeat(Math.ceil(bytes / (seed.length + 1))).slice(0, bytes);
const lone = '\ud83d';
const deep = (levels) => (levels === 0 ? 1 : { in: deep(levels - 1) });
const many = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const manyAttributes = (count) => Object.fromEntries(many(count, (i) => [`a${i}`, i]));
const throwing = (object, field) =>
  Object.defineProperty(object, field, {
    enumerable: true,
    get() {
      throw new Error('hostile');
    },
  });

/** A span of its own trace; `number` is what it is found by. */
export function spanOf(number, changes = {}) {
  const context = { traceId: id(number + 1, 32), spanId: id(number + 1, 16), traceFlags: 1 };
  return {
    name: `span ${number}`,
    kind: 0,
    spanContext: () => context,
    startTime: [START, number],
    endTime: [START + 1, number],
    duration: [1, 0],
    ended: true,
    status: { code: 0 },
    links: [],
    events: [],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    ...changes,
    attributes: changes.attributes === undefined ? { number } : changes.attributes,
  };
}

/** Sizes, in UTF-16 units, that fit a request of 4 MiB. */
export const HEALTHY_BYTES = [1 * KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, 1 * MIB, 3 * MIB];

/** A span with nothing to object to, and the text it has to arrive with. */
export function healthySpan(number, bytes) {
  const text = textOf(bytes, `söme text "${number}" 😀`).replace(/[\ud800-\udbff]$/, '');
  const attributes = { number, text, 'a.list': ['a', 'b'], ratio: 0.5, count: number * 1000, is: number % 2 === 0 };
  const events = [{ name: 'event', time: [START, 5], attributes: { n: 1 } }];
  return { text, span: spanOf(number, { attributes, events, status: { code: 2, message: 'no' } }) };
}

const withValue = (value) => (n) => spanOf(n, { attributes: { number: n, value } });
const withAttributes = (attributes) => (n) => spanOf(n, { attributes: { number: n, ...attributes } });
const link = (changes) => ({ context: { traceId: id(7, 32), spanId: id(7, 16), traceFlags: 1, ...changes } });
const withContext = (changes) => (n) => {
  const span = spanOf(n);
  const context = { ...span.spanContext(), ...changes };
  return { ...span, spanContext: () => context };
};
/** How a value has to arrive. */
const value =
  (expected) =>
  ({ attributes }) =>
    JSON.stringify(attributes.get('value')) === JSON.stringify(expected);
const text = (expected) => value({ stringValue: expected });
const isCut = ({ attributes }) => attributes.get('hermes.export.cut')?.boolValue === true;
const isValidJson = (key) => (span) => isCut(span) && JSON.parse(span.attributes.get(key).stringValue) !== undefined;

/**
 * Kind → how one is made of its number. `mayBeLost`: it may be counted in place of arriving; else it has to come, and as `is`
 * says.
 */
export const POISON = {
  NaN: { make: withValue(Number.NaN), is: text('NaN') },
  Infinity: { make: withValue(Number.POSITIVE_INFINITY), is: text('Infinity') },
  '-Infinity': { make: withValue(Number.NEGATIVE_INFINITY), is: text('-Infinity') },
  '2^53': { make: withValue(2 ** 53), is: text('9007199254740992') },
  '1e21': { make: withValue(1e21), is: text('1e+21') },
  '-1e300': { make: withValue(-1e300), is: text('-1e+300') },
  '5e-324': { make: withValue(5e-324), is: value({ doubleValue: 5e-324 }) },
  null: { make: withValue(null) },
  undefined: { make: withValue(undefined) },
  'a mixed list': { make: withValue([1, 'two', false, null]) },
  'a list with NaN': { make: withValue([1, Number.NaN]) },
  'a list of lists': { make: withValue([[1], [2, ['x']]]) },
  'an object': { make: withValue({ a: { b: [1] } }) },
  'an object 5,000 levels deep': { make: withValue(deep(5_000)) },
  'a cycle': {
    make: (n) => {
      const cycle = {};
      cycle.self = cycle;
      return withValue(cycle)(n);
    },
  },
  bytes: { make: withValue(Uint8Array.of(0, 255)) },
  'a bigint': { make: withValue(2n ** 70n) },
  'a symbol': { make: withValue(Symbol('s')) },
  'a function': { make: withValue(() => 1) },
  'a date': { make: withValue(new Date(Number.NaN)) },
  'a lone surrogate': { make: withValue(`a${lone}b`) },
  'a lone surrogate in a key': { make: withAttributes({ [`k${lone}`]: 1 }) },
  'a lone surrogate in a name': { make: (n) => spanOf(n, { name: `${lone} name` }) },
  'a lone surrogate in a status': { make: (n) => spanOf(n, { status: { code: 2, message: lone } }) },
  'a lone surrogate in an event': { make: (n) => spanOf(n, { events: [{ name: lone, time: [START, 0] }] }) },
  'a lone surrogate in a trace state': { make: withContext({ traceState: { serialize: () => lone } }) },
  'control characters': { make: withValue('\u0000\u0001\u007f\u2028'), is: text('\u0000\u0001\u007f\u2028') },
  'an empty key': { make: withAttributes({ '': 1 }) },
  'a key of 1 MiB': { make: withAttributes({ [textOf(MIB, 'k')]: 1 }) },
  '100,000 attributes': { make: withAttributes(manyAttributes(100_000)) },
  '1,000,000 attributes': { make: withAttributes(manyAttributes(1_000_000)), is: isCut },
  '50,000 events': { make: (n) => spanOf(n, { events: many(50_000, (i) => ({ name: `e${i}`, time: [START, i] })) }) },
  '50,000 links': { make: (n) => spanOf(n, { links: many(50_000, () => link({})) }) },
  'a list of 1,000,000': { make: withValue(many(1_000_000, (i) => i)), is: isCut },
  '5 MiB of text': { make: withValue(textOf(5 * MIB)), is: isCut },
  '20 MiB of text': { make: withValue(textOf(20 * MIB, 'ü😀')), is: isCut },
  '30 MiB of text': { make: withValue(textOf(30 * MIB, '"\\')), is: isCut },
  '30 MiB of JSON': {
    make: (n) =>
      withValue(JSON.stringify(many(300, (i) => ({ role: 'user', content: textOf(100 * KIB, `m${i}`) }))))(n),
    is: isValidJson('value'),
  },
  '30 MiB in a name': { make: (n) => spanOf(n, { name: textOf(30 * MIB) }), is: isCut },
  '30 MiB in a status': { make: (n) => spanOf(n, { status: { code: 2, message: textOf(30 * MIB) } }), is: isCut },
  '30 MiB in an event': {
    make: (n) => spanOf(n, { events: [{ name: 'e', time: [START, 0], attributes: { v: textOf(30 * MIB) } }] }),
    is: isCut,
  },
  '30 MiB in a link': {
    make: (n) => spanOf(n, { links: [{ ...link({}), attributes: { v: textOf(30 * MIB) } }] }),
    is: isCut,
  },
  '30 MiB in 3,000 attributes': {
    make: withAttributes(Object.fromEntries(many(3_000, (i) => [`v${i}`, textOf(10 * KIB)]))),
    is: isCut,
  },
  'a time of NaN': { make: (n) => spanOf(n, { startTime: [Number.NaN, 0] }) },
  'a time of Infinity': { make: (n) => spanOf(n, { endTime: [Number.POSITIVE_INFINITY, 0] }) },
  'a time before 1970': { make: (n) => spanOf(n, { startTime: [-5, 0] }) },
  'a time of 1e30': { make: (n) => spanOf(n, { endTime: [1e30, 0] }) },
  'a time with 2e9 nanoseconds': { make: (n) => spanOf(n, { startTime: [START, 2e9] }) },
  'a time with half a nanosecond': { make: (n) => spanOf(n, { startTime: [START, 0.5] }) },
  'an end before the start': { make: (n) => spanOf(n, { endTime: [START - 5, 0] }) },
  'an event without a time': { make: (n) => spanOf(n, { events: [{ name: 'e' }] }), mayBeLost: true },
  'no time': { make: (n) => spanOf(n, { startTime: undefined }), mayBeLost: true },
  'a short trace id': { make: withContext({ traceId: 'abc' }) },
  'a trace id that is none': { make: withContext({ traceId: 'z'.repeat(32) }) },
  'a trace id of zeros': { make: withContext({ traceId: '0'.repeat(32) }) },
  'no span id': { make: withContext({ spanId: '' }) },
  'a span id that is a number': { make: withContext({ spanId: 5 }) },
  'an id in upper case': { make: withContext({ traceId: 'ABCDEF00'.repeat(4) }) },
  'a parent that is none': {
    make: (n) => spanOf(n, { parentSpanContext: { traceId: 'x', spanId: 'y', traceFlags: 1 } }),
  },
  'a link to nowhere': { make: (n) => spanOf(n, { links: [link({ traceId: '' })] }) },
  'flags beyond a byte': { make: withContext({ traceFlags: 2 ** 40 + 1 }) },
  'a kind of 99': { make: (n) => spanOf(n, { kind: 99 }) },
  'a kind of -1': { make: (n) => spanOf(n, { kind: -1 }) },
  'a status of 99': { make: (n) => spanOf(n, { status: { code: 99 } }) },
  'a status message that is an object': { make: (n) => spanOf(n, { status: { code: 2, message: { a: 1 } } }) },
  'a name that is a number': { make: (n) => spanOf(n, { name: 5 }) },
  'counts below zero': { make: (n) => spanOf(n, { droppedAttributesCount: -5, droppedEventsCount: Number.NaN }) },
  'counts beyond 32 bits': { make: (n) => spanOf(n, { droppedAttributesCount: 2 ** 40 }) },
  'no attributes': { make: (n) => spanOf(n, { attributes: null }), mayBeLost: true },
  'no events': { make: (n) => spanOf(n, { events: undefined }), mayBeLost: true },
  'no status': { make: (n) => spanOf(n, { status: undefined }), mayBeLost: true },
  'attributes that throw': { make: (n) => throwing(spanOf(n), 'attributes'), mayBeLost: true },
  'a value that throws': { make: (n) => spanOf(n, { attributes: throwing({ number: n }, 'value') }), mayBeLost: true },
  'a context that throws': {
    make: (n) => ({
      ...spanOf(n),
      spanContext() {
        throw new Error('hostile');
      },
    }),
    mayBeLost: true,
  },
  'a name that throws': { make: (n) => throwing(spanOf(n), 'name'), mayBeLost: true },
  'a resource with NaN': { make: (n) => spanOf(n, { resource: createResource({ bad: Number.NaN, worse: lone }) }) },
  'a scope with a lone surrogate': { make: (n) => spanOf(n, { instrumentationScope: { name: lone } }) },
  'a scope of 30 MiB': {
    make: (n) => spanOf(n, { instrumentationScope: { name: textOf(30 * MIB) } }),
    mayBeLost: true,
  },
  'a resource of 30 MiB': {
    make: (n) => spanOf(n, { resource: createResource({ big: textOf(30 * MIB) }) }),
    mayBeLost: true,
  },
  '__proto__ as a key': { make: (n) => spanOf(n, { attributes: JSON.parse(`{"number":${n},"__proto__":{"a":1}}`) }) },
};
