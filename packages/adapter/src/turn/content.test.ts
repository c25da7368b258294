import { describe, expect, it } from 'vitest';
import { hold } from './content.js';

describe('held content', () => {
  it('is a copy of plain data, which later changes do not reach', () => {
    const args = { city: 'Oslo', days: [{ n: 1 }], none: null };
    const { value, isLive } = hold(args);
    args.city = 'Rome';
    (args.days[0] as { n: number }).n = 2;
    expect({ value, isLive }).toEqual({ value: { city: 'Oslo', days: [{ n: 1 }], none: null }, isLive: false });
  });

  it.each(['text', 7, undefined, null])('is %j itself', (value) => {
    expect(hold(value)).toEqual({ value, isLive: false });
  });

  it.each([
    ['large', Array.from({ length: 1_000 }, (_, i) => i)],
    ['wide', Object.fromEntries(Array.from({ length: 200 }, (_, i) => [i, i]))],
    ['of a class', { when: new Date(0) }],
    ['with a way of its own', { toJSON: () => 'x' }],
    [
      'of a kind that throws',
      {
        get broken() {
          throw new Error('getter');
        },
      },
    ],
    ['deep', Array.from({ length: 20 }).reduce((inner) => ({ inner }), {})],
    ['with a key that sets more than itself', JSON.parse('{"__proto__":{"x":1}}')],
  ])('is left as it is where it is %s', (_, value) => {
    const held = hold(value);
    expect(held.isLive).toBe(true);
    expect(held.value).toBe(value);
  });
});
