import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { tellUntested } from './tested-versions.js';

const folder = mkdtempSync(join(tmpdir(), 'tested-versions-'));
const [, program = ''] = process.argv;
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  process.argv[1] = program;
});

function put(path: string, content: unknown): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const top = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, top), 'utf8');
const ADAPTERS = ['ai-sdk', 'openai-agents', 'langchain', 'claude', 'clients'];

describe('a framework at a version that was not tested', () => {
  put('adapter/package.json', {
    name: 'my-adapter',
    testedVersions: { one: '>=2.0.0 <3', two: '>=1.0.0 <2', none: '>=1.0.0 <2' },
  });
  const adapter = pathToFileURL(join(folder, 'adapter/dist/register.js')).href;
  put('app/node_modules/one/package.json', { version: '1.9.0' });
  put('app/node_modules/two/package.json', { version: '1.9.0' });
  put('deaf/package.json', {
    name: 'my-adapter',
    testedVersions: { one: '>=2.0.0 <3' },
    silentVersions: { one: '<1.9.1' },
  });

  it('is told of, others are not', () => {
    process.argv[1] = put('app/src/main.js', '');
    const told: string[] = [];
    tellUntested(adapter, (text) => told.push(text));
    expect(told).toEqual(['my-adapter: one 1.9.0 is observed, and was not tested: tested are >=2.0.0 <3']);
  });

  it('is told to be silent where it is', () => {
    process.argv[1] = put('app/src/main.js', '');
    const told: string[] = [];
    tellUntested(pathToFileURL(join(folder, 'deaf/dist/register.js')).href, (text) => told.push(text));
    expect(told).toEqual([
      'my-adapter: one 1.9.0 is not observed: such a version tells nobody what it does; tested are >=2.0.0 <3',
    ]);
  });

  it('costs a program nothing where nothing can be known', () => {
    put('app/node_modules/one/package.json', 'no manifest');
    process.argv[1] = join(folder, 'app/src/main.js');
    for (const file of [adapter, 'data:text/javascript,', pathToFileURL(join(folder, 'nowhere/dist/a.js')).href]) {
      expect(() => tellUntested(file, () => {})).not.toThrow();
    }
  });
});

describe.each(ADAPTERS)('%s', (name) => {
  const { testedVersions, peerDependencies, peerDependenciesMeta } = JSON.parse(read(`packages/${name}/package.json`));

  it('has peers of any version, so that npm installs beside all of them', () => {
    expect(peerDependencies).toEqual(Object.fromEntries(Object.keys(testedVersions).map((id) => [id, '*'])));
    for (const id of Object.keys(testedVersions)) expect(peerDependenciesMeta[id]).toEqual({ optional: true });
  });

  it('has its tested versions in the docs', () => {
    for (const [id, range] of Object.entries(testedVersions)) {
      expect(read('docs/auto.md')).toContain(`| \`${id}\` | \`${range}\` | \`${name}\` |`);
    }
  });
});
