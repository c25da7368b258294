import { expect, it, vi } from 'vitest';
import { CountedUses } from './counted-uses.js';

it('what is used begins once and ends with the last of its users, each of whom ends once', () => {
  const uses = new CountedUses<object>();
  const end = vi.fn();
  const begin = vi.fn(() => end);
  const key = {};
  const [one, other] = [uses.begin(key, begin), uses.begin(key, begin)];
  expect(begin).toHaveBeenCalledTimes(1);
  one();
  one();
  expect(end).not.toHaveBeenCalled();
  other();
  expect(end).toHaveBeenCalledTimes(1);
  const again = uses.begin(key, begin);
  one();
  other();
  expect(begin).toHaveBeenCalledTimes(2);
  expect(end).toHaveBeenCalledTimes(1);
  again();
  expect(end).toHaveBeenCalledTimes(2);
});

it('what does not begin is in use by nobody; keys are apart', () => {
  const uses = new CountedUses<object>();
  const key = {};
  const fails = () => {
    throw new Error('no');
  };
  expect(() => uses.begin(key, fails)).toThrow('no');
  const ends = [vi.fn(), vi.fn()];
  const stop = uses.begin(key, () => ends[0] as () => void);
  uses.begin({}, () => ends[1] as () => void);
  stop();
  expect(ends.map((end) => end.mock.calls.length)).toEqual([1, 0]);
});
