import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../builtin/hook-context.test-support.js';
import { type ModuleHookOptions, moduleHook } from './module-hook.js';
import { PinFile } from './pin-file.js';

const folder = mkdtempSync(join(tmpdir(), 'module-'));
let count = 0;
function file(text: string): string {
  const path = join(folder, `hook-${++count}.mjs`);
  writeFileSync(path, text);
  return path;
}
const load = (module: string, more: Partial<ModuleHookOptions> = {}) =>
  moduleHook({ name: 'm', event: 'PreToolUse', module, ...more });

describe('moduleHook', () => {
  it.each([
    ['a function', 'export default () => ({ allow: false, error: "no" })'],
    ['an export named hook', 'export const hook = () => ({ allow: false, error: "no" })'],
    ['an object', 'export default { execute: () => ({ allow: false, error: "no" }) }'],
    [
      'an instance',
      'export default new (class { #text = "no"; execute() { return { allow: false, error: this.#text } } })()',
    ],
  ])('loads %s', async (_name, text) => {
    const hook = await load(file(text), { priority: 3 });
    expect(hook).toMatchObject({ name: 'm', event: 'PreToolUse', priority: 3 });
    expect(await hook.execute(contextOf())).toEqual({ allow: false, error: 'no' });
  });

  it('keeps what the module says of itself, but for what is given', async () => {
    const text =
      'export default { name: "x", event: "PostToolUse", priority: 7, timeoutMs: 5, execute() {}, close() {} }';
    expect(await load(file(text), { timeoutMs: 9 })).toMatchObject({
      name: 'm',
      event: 'PreToolUse',
      priority: 7,
      timeoutMs: 9,
    });
  });

  it.each<[string, string, string]>([
    ['not there', join(folder, 'none.mjs'), 'is not there'],
    ['relative', 'hook.mjs', 'absolute path'],
    ['no JavaScript', file('export default ('), 'cannot be loaded'],
    ['throws', file('throw new Error("oops")'), 'oops'],
    ['exports nothing', file('export const x = 1'), 'exports no hook'],
    ['exports no function', file('export default { exeucte() {} }'), 'exports no hook'],
  ])('stops the start: %s', async (_name, path, message) => {
    await expect(load(path)).rejects.toThrow(
      expect.objectContaining({ code: 'HO_POLICY_CONFIG', message: expect.stringContaining(message) }),
    );
  });

  it('does not load one that was changed since it was accepted, and loads it anew once it is', async () => {
    const path = file('export default () => undefined');
    const pins = new PinFile(join(folder, 'pins.json'));
    await load(path, { pins });
    writeFileSync(path, 'globalThis.pwned = true; export default () => ({ allow: false, error: "new" })');
    await expect(load(path, { pins })).rejects.toThrow('not the one that was accepted');
    expect((globalThis as { pwned?: boolean }).pwned).toBeUndefined();
    writeFileSync(pins.path, '{}');
    expect(await (await load(path, { pins })).execute(contextOf())).toEqual({ allow: false, error: 'new' });
  });
});
