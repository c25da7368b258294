import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { asTyped, invocation } from './invocation.js';

const folder = resolve('/home/me/clone');

it.each([
  ['the bin of an installed package', '/usr/local/bin/hermes-observer', 'hermes-observer'],
  ['a bin of the project', join(folder, 'node_modules/.bin/hermes-observer'), 'hermes-observer'],
  [
    'the script in a clone',
    join(folder, 'packages/cli/bin/hermes-observer.js'),
    'node packages/cli/bin/hermes-observer.js',
  ],
  ['a script elsewhere', '/home/me/other/dist/main.js', 'node ../other/dist/main.js'],
  ['a path with blanks', join(folder, 'my tools/main.js'), 'node "my tools/main.js"'],
  ['nothing', '', 'hermes-observer'],
])('%s', (_, script, command) => {
  expect(invocation(script, folder)).toBe(command);
});

it('gives advice with commands as they are typed', () => {
  expect(asTyped('do hermes-observer install hermes, or hermes-observer serve', 'node x.js')).toBe(
    'do node x.js install hermes, or node x.js serve',
  );
  // Not commands of this program.
  const text = 'hermes plugins enable hermes-observer, then see plugins/hermes-observer config';
  expect(asTyped(text, 'node x.js')).toBe(text);
});
