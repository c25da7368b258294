import { expect, it } from 'vitest';
import { checkKinds, type OptionKinds } from './option-kinds.js';

const KINDS: OptionKinds = {
  name: 'string',
  limits: 'object',
  mode: ['on', 'off', 'auto'],
  size: { is: (value) => value === 1, must: 'be one' },
  own: 'own',
};

it('options that are right, undefined or of an own kind pass', () => {
  checkKinds({ name: 'x', limits: {}, mode: 'auto', size: 1, own: Symbol('x') }, KINDS);
  checkKinds({ name: undefined, nobodyKnows: undefined }, KINDS);
});

it.each<[object, string]>([
  [{ nam: 'x' }, 'tool: there is no option nam; there are name, limits, mode, size, own.'],
  [{ toString: 1 }, 'tool: there is no option toString'],
  [{ name: 5 }, 'tool: name must be a string.'],
  [{ limits: null }, 'tool: limits must be an object.'],
  [{ mode: 'of' }, 'tool: mode is "of"; use on, off or auto.'],
  [{ mode: 1n }, 'tool: mode is of type bigint; use on, off or auto.'],
  [{ mode: Object.create(null) }, 'tool: mode is of type object'],
  [{ size: 2 }, 'tool: size must be one.'],
])('what is wrong is refused: %#', (options, text) => {
  expect(() => checkKinds(options, KINDS, 'tool: ')).toThrow(
    expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(text) }),
  );
});
