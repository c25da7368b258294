import Module from 'node:module';
import { afterEach, expect, it, vi } from 'vitest';

const parts = Module as unknown as Record<'register' | 'registerHooks', unknown>;
const { register, registerHooks } = parts;
afterEach(() => {
  Object.assign(parts, { register, registerHooks });
  vi.unstubAllGlobals();
  vi.resetModules();
  Reflect.deleteProperty(globalThis, Symbol.for('hermes.observer.openai-agents.loaded.1'));
});

it.each([
  ['22.22.2', 'in a thread of their own'],
  ['22.22.3', "in the program's own"],
  ['24.11.0', 'in a thread of their own'],
])('hooks of Node.js %s run %s', async (node, place) => {
  const compile = Module.prototype as unknown as { _compile: unknown };
  const { _compile } = compile;
  const [inThread, inOwn] = [vi.fn(), vi.fn()];
  Object.assign(parts, { register: inThread, registerHooks: inOwn });
  vi.stubGlobal('process', Object.create(process, { versions: { value: { ...process.versions, node } } }));
  const { onLoadedCopy } = await import('./loaded-copies.js');
  onLoadedCopy(() => {})();
  compile._compile = _compile;
  expect([inThread.mock.calls.length, inOwn.mock.calls.length]).toEqual(place.startsWith('in a') ? [1, 0] : [0, 1]);
});
