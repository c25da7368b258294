import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from './make-folder.js';
import { defaultSocket, expandPath, otherSockets } from './places.js';

it('a service looks where agents of every kind would', () => {
  const data = '/home/me/data';
  const usual = defaultSocket({ XDG_RUNTIME_DIR: '/run/user/4242' }, data);
  expect(usual).toBe('/run/user/4242/hermes-observer/observer.sock');
  expect(otherSockets(data, usual, 4242)).toEqual(['/home/me/data/run/observer.sock']);
  expect(otherSockets(data, '/home/me/data/run/observer.sock', 4242)).toEqual([]);
});

it('paths are as a person writes them', () => {
  expect(['~', '~/a', 'a', '/a', '~a'].map((path) => expandPath(path, '/base', { HOME: '/h' }))).toEqual([
    '/h',
    '/h/a',
    '/base/a',
    '/a',
    '/base/~a',
  ]);
});

it('folders are made, and a place that takes none is told of at once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'places-'));
  makeFolder(join(folder, 'a/b/c'));
  makeFolder(join(folder, 'a/b/c'));
  expect(() => makeFolder('/proc/no/such/folder')).toThrow();
  rmSync(folder, { recursive: true });
});
