import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { entryPointOf } from './entry-point.js';
import { hasFramework } from './hooks/installed.js';

const folder = mkdtempSync(join(tmpdir(), 'entry-point-'));
afterAll(() => rmSync(folder, { recursive: true }));

function put(path: string, content: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const found = (path: string) => {
  const { framework, version } = entryPointOf(path) ?? {};
  return framework && `${framework.package} ${version}`;
};

it('is known by the manifest of its package, under whatever name that is installed', () => {
  for (const [path, version] of [
    ['one/node_modules/ai', '7.0.1'],
    ['two/node_modules/.pnpm/ai@7.0.2/node_modules/ai', '7.0.2'],
    ['three/node_modules/ai-newer', '7.0.3'],
    ['four/sources/ai', '7.0.4'],
  ] as const) {
    put(`${path}/package.json`, JSON.stringify({ name: 'ai', version }));
    const file = join(folder, path, 'dist/index.js');
    expect(found(file)).toBe(`ai ${version}`);
    expect(found(`${pathToFileURL(file).href}?v=1`)).toBe(`ai ${version}`);
  }
});

it('other packages, other files and folders without a manifest are none', () => {
  put('other/node_modules/ai/package.json', JSON.stringify({ name: 'of-somebody-else', version: '7.0.0' }));
  expect(found(join(folder, 'other/node_modules/ai/dist/index.js'))).toBeUndefined();
  expect(found(join(folder, 'one/node_modules/ai/dist/test/index.js'))).toBeUndefined();
  expect(found(join(folder, 'nowhere/dist/index.js'))).toBeUndefined();
  put('broken/package.json', '{');
  expect(found(join(folder, 'broken/dist/index.js'))).toBeUndefined();
});

it('is installed where the program or its starter looks for packages', () => {
  const program = put('app/src/deep/main.js', '');
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  expect(hasFramework(program, elsewhere)).toBe(false);
  put('app/node_modules/.pnpm/node_modules/ai/package.json', '{}');
  expect(hasFramework(program, elsewhere)).toBe(true);
  expect(hasFramework(undefined, elsewhere)).toBe(false);
  expect(hasFramework(undefined, dirname(program))).toBe(true);
  symlinkSync(program, join(elsewhere, 'linked.js'));
  expect(hasFramework(join(elsewhere, 'linked.js'), elsewhere)).toBe(true);
});
