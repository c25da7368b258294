import type { Attributes } from '@opentelemetry/api';
import { BasicTracerProvider, type ReadableSpan, type SpanLimits } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { ObserverTracerProvider } from './observer-tracer-provider.js';

const PROVIDERS = [
  ['ObserverTracerProvider', ObserverTracerProvider],
  ['BasicTracerProvider', BasicTracerProvider],
] as const;

describe.each(PROVIDERS)('attributes with %s', (_, Provider) => {
  const start = (attributes?: Attributes, spanLimits: SpanLimits = {}) =>
    new Provider({ spanLimits }).getTracer('test').startSpan('span', attributes === undefined ? {} : { attributes });
  const read = (span: unknown) => span as ReadableSpan;

  it.each([
    ['string', 'text'],
    ['empty string', ''],
    ['integer', 7],
    ['fraction', 1.5],
    ['NaN', Number.NaN],
    ['true', true],
    ['false', false],
    ['strings', ['a', 'b']],
    ['numbers', [1, 2]],
    ['booleans', [true, false]],
    ['empty array', []],
    ['array with gaps', ['a', null, undefined, 'b']],
  ])('keeps a value that is a %s, at the start and later', (_kind, value) => {
    const span = start({ early: value }).setAttribute('late', value);
    expect(read(span).attributes).toEqual({ early: value, late: value });
    expect(read(span).droppedAttributesCount).toBe(0);
  });

  it.each([
    ['object', { a: 1 }],
    ['mixed array', ['a', 1]],
    ['nested array', [['a']]],
    ['array of objects', [{}]],
    ['bigint', 1n],
    ['function', () => 1],
    ['symbol', Symbol('s')],
    ['bytes', new Uint8Array(2)],
  ])('leaves out a value that is a %s without counting it', (_kind, value) => {
    const span = start({ early: value as never, good: 1 }).setAttribute('late', value as never);
    expect(read(span).attributes).toEqual({ good: 1 });
    expect(read(span).droppedAttributesCount).toBe(0);
  });

  it('skips null, undefined and empty keys', () => {
    const span = start({ a: undefined, b: null as never, '': 'x', c: 1 });
    span.setAttributes({ d: undefined, e: null as never, '': 'x', f: 2 });
    expect(read(span).attributes).toEqual({ c: 1, f: 2 });
  });

  it('replaces the value of a key and keeps the order of keys', () => {
    const span = start({ a: 1, b: 2 }).setAttribute('a', 3).setAttributes({ c: 4, b: 5 });
    expect(Object.entries(read(span).attributes)).toEqual([
      ['a', 3],
      ['b', 5],
      ['c', 4],
    ]);
  });

  it('does not share a flat object with the caller', () => {
    const attributes = Object.freeze({ a: 1 });
    const span = start(attributes).setAttribute('b', 2);
    expect(read(span).attributes).toEqual({ a: 1, b: 2 });
    expect(attributes).toEqual({ a: 1 });
  });

  it('does not share arrays with the caller', () => {
    const list = ['a'];
    const attributes = Object.freeze({ list, n: 1 });
    const span = start(attributes).setAttribute('late', list);
    list.push('b');
    expect(read(span).attributes).toEqual({ list: ['a'], n: 1, late: ['a'] });
  });

  it('ignores inherited properties', () => {
    expect(read(start(Object.create({ inherited: 1 }) as Attributes)).attributes).toEqual({});
  });

  it.each([null, 'text', 7])('ignores attributes that are %s', (attributes) => {
    expect(read(start(attributes as never)).attributes).toEqual({});
  });

  it('keeps 128 attributes, counts the others and still replaces', () => {
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`k${i}`, i]));
    const span = start(many).setAttribute('k0', 'new').setAttribute('more', 1).setAttribute('more', 2);
    expect(Object.keys(read(span).attributes)).toHaveLength(128);
    expect(read(span).attributes.k0).toBe('new');
    expect(read(span).droppedAttributesCount).toBe(4);
  });

  it('counts a replaced key once against the limit', () => {
    const span = start({ a: 1 }, { attributeCountLimit: 3 });
    for (let i = 0; i < 5; i++) span.setAttribute('b', i);
    span.setAttribute('c', 1).setAttribute('d', 1);
    expect(read(span).attributes).toEqual({ a: 1, b: 4, c: 1 });
    expect(read(span).droppedAttributesCount).toBe(1);
  });

  it('keeps nothing with a limit of 0', () => {
    const span = start({ a: 1 }, { attributeCountLimit: 0 }).setAttribute('b', 1);
    expect(read(span).attributes).toEqual({});
    expect(read(span).droppedAttributesCount).toBe(2);
  });

  it('cuts strings and strings in arrays to the value length', () => {
    const values = { s: 'abcdef', list: ['abcdef', 'ab'], n: 123456 };
    const cut = { s: 'abc', list: ['abc', 'ab'], n: 123456 };
    const limits = { attributeValueLengthLimit: 3 };
    expect(read(start(values, limits)).attributes).toEqual(cut);
    expect(read(start({}, limits).setAttributes(values)).attributes).toEqual(cut);
  });

  it('treats a value length of 0 as no limit', () => {
    expect(read(start({ s: 'abc' }, { attributeValueLengthLimit: 0 })).attributes).toEqual({ s: 'abc' });
  });

  it('ignores attributes set after the end', () => {
    const span = start({ a: 1 });
    span.end();
    span.setAttribute('b', 2).setAttributes({ c: 3 });
    expect(read(span).attributes).toEqual({ a: 1 });
  });
});
