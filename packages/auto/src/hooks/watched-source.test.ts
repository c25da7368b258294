import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, it } from 'vitest';
import { LISTENER, watchedSource } from './watched-source.js';

const folder = mkdtempSync(join(tmpdir(), 'watched-source-'));
const place = globalThis as { [LISTENER]?: unknown };
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  place[LISTENER] = undefined;
});

let count = 0;

/** Runs a module of the package that has `query` replaced, as it would be loaded. */
async function run(code: string): Promise<Record<string, unknown>> {
  const root = join(folder, String(count++));
  mkdirSync(root);
  writeFileSync(
    join(root, 'package.json'),
    '{"name":"@anthropic-ai/claude-agent-sdk","version":"0.3.0","type":"module"}',
  );
  const path = join(root, 'sdk.mjs');
  const url = pathToFileURL(path).href;
  writeFileSync(path, watchedSource(url, 'module', code) ?? 'not watched');
  return import(/* @vite-ignore */ url);
}

const another = () => 'another';

it.each([
  ['function a$1(){return "own"}export{a$1 as query};', 'minified'],
  ['var x=1;function Rj$(){return"own"}export{x as other,Rj$ as query};', 'minified, with a sign at its end'],
  ['export { other, own as query };\nfunction own() { return "own"; }\nconst other = 1;', 'named before'],
  ['var b = () => "own"; export {b as query, b as startup}', 'a variable'],
  ['export async function query() { return "own"; }', 'declared'],
])('a function that is exported is replaced: %s', async (code) => {
  place[LISTENER] = {
    loaded: () => {},
    replaced: (_: string, name: string) => (name === 'query' ? another : undefined),
  };
  expect((await run(code)).query).toBe(another);
});

it.each([
  ['const own = () => "own"; export { own as query };', 'a constant'],
  ['export { query } from "./inner.mjs"', 'of another module'],
])('one that cannot be replaced stays: %s', async (code) => {
  place[LISTENER] = { loaded: () => {}, replaced: () => another };
  writeFileSync(join(folder, 'inner.mjs'), 'export const query = () => "own";');
  const { query } = await run(code.replace('./inner', '../inner'));
  expect((query as () => string)()).toBe('own');
});

it('a module hands over what it exports, at its end, to whoever imports it later or to nobody', async () => {
  const seen: object[] = [];
  place[LISTENER] = { loaded: (_: string, namespace: object) => seen.push({ ...namespace }) };
  const code = 'export let value = 1; export * from "node:path"; value = 2; // ends without a line break';
  const module = await run(code);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ value: 2, sep: '/' });
  expect(module.value).toBe(2);
  place[LISTENER] = undefined;
  expect((await run(code)).value).toBe(2);
});

it('is nothing for one that is watched already', () => {
  const url = pathToFileURL(join(folder, '0/sdk.mjs')).href;
  expect(watchedSource(url, 'module', watchedSource(url, 'module', 'export {}'))).toBeUndefined();
});

it('is nothing for any other module', () => {
  const url = pathToFileURL(join(folder, '0/sdk.mjs')).href;
  expect(watchedSource(url, 'module', new TextEncoder().encode('export {}'))).toContain('export {}\n;');
  expect(watchedSource(url, 'commonjs', 'exports.a = 1')).toBeUndefined();
  expect(watchedSource(url, 'module', undefined)).toBeUndefined();
  expect(watchedSource(url.replace('sdk', 'other'), 'module', 'export {}')).toBeUndefined();
  expect(watchedSource('data:text/javascript,/sdk.mjs', 'module', 'export {}')).toBeUndefined();
});
