import { expect, it } from 'vitest';
import { withFields } from './with-fields.js';

class Options {
  readonly #prompt = 'be kind';
  get systemPrompt() {
    return this.#prompt;
  }
  readonly model = 'm';
}

it.each([
  ['a class with getters', new Options()],
  ['a prototype', Object.create({ systemPrompt: 'be kind', model: 'm' }) as Options],
  ['a copy of such', withFields(new Options(), { other: 1 }) as unknown as Options],
])('has what %s gives, and the fields', (_, given) => {
  const copy = withFields(given, { hooks: 1 });
  expect([copy.systemPrompt, copy.model, copy.hooks]).toEqual(['be kind', 'm', 1]);
});

it('is a plain object of a plain object, and of none', () => {
  expect(withFields({ a: 1, b: 2 }, { b: 3 })).toStrictEqual({ a: 1, b: 3 });
  expect(withFields(undefined, { b: 3 })).toStrictEqual({ b: 3 });
});
