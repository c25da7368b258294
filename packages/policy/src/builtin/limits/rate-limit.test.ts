import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Conclusion } from '../../hooks/hook.js';
import { registerHook } from '../../hooks/registered-hook.js';
import { contextOf } from '../hook-context.test-support.js';
import { makeProgram, runProgram } from '../program.test-support.js';
import { RateLimit, type RateLimitOptions } from './rate-limit.js';

const conclusion = (outcome: Conclusion['outcome']): Conclusion => ({
  outcome,
  kind: undefined,
  reason: undefined,
  by: [],
});
const folder = () => join(mkdtempSync(join(tmpdir(), 'rate-')), 'state');
let count = 0;

/** One call on its whole way. True: it may run. */
async function call(limit: RateLimit, more: object = {}, outcome: Conclusion['outcome'] = 'allow'): Promise<boolean> {
  const context = contextOf({ decisionId: `d${++count}`, ...more });
  const blocked = (await limit.execute(context))?.allow === false;
  await limit.concluded(context, conclusion(blocked ? 'deny' : outcome));
  return !blocked;
}

afterEach(() => vi.useRealTimers());

describe('RateLimit', () => {
  it('lets through what is allowed, refills with time, and says when to try again', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const limit = await RateLimit.open({ calls: 2, perMs: 10_000 });
    registerHook(limit, 1);
    expect([await call(limit), await call(limit), await call(limit)]).toEqual([true, true, false]);
    expect((await limit.execute(contextOf({ decisionId: 'x' })))?.error).toBe(
      'Too many calls: at most 2 in 10 s. Try again in 5 s.',
    );
    vi.advanceTimersByTime(5000);
    expect([await call(limit), await call(limit)]).toEqual([true, false]);
    vi.advanceTimersByTime(1e9);
    expect([await call(limit), await call(limit), await call(limit)]).toEqual([true, true, false]);
  });

  it('counts connectors and users apart', async () => {
    const limit = await RateLimit.open({ calls: 1 });
    expect(await call(limit, { tool: 'github__push', user: 'a' })).toBe(true);
    expect(await call(limit, { tool: 'github__pull', user: 'a' })).toBe(false);
    expect(await call(limit, { tool: 'github__pull', user: 'b' })).toBe(true);
    expect(await call(limit, { tool: 'jira__x', user: 'a' })).toBe(true);
    expect(await call(limit, { tool: 'mcp__github__x', user: 'a' })).toBe(true);
    expect(await call(limit, { tool: 'mcp__github__y', user: 'a' })).toBe(false);
    expect(await call(limit, { tool: 'mcp__jira__y', user: 'a' })).toBe(true);
    // No name can be made to look like that of another user.
    expect(await call(limit, { tool: 'jira","b', user: '' })).toBe(true);
  });

  it('counts a call once, however often the rules are asked, and not if it is denied', async () => {
    const limit = await RateLimit.open({ calls: 2 });
    const context = contextOf({ decisionId: 'same' });
    for (let i = 0; i < 5; i++) expect(await limit.execute(context)).toBeUndefined();
    await limit.concluded(context, conclusion('allow'));
    expect(await call(limit, {}, 'deny')).toBe(true);
    expect(await call(limit, {}, 'ask')).toBe(true);
    expect(await call(limit)).toBe(false);
  });

  it('never lets more through when many come at once', async () => {
    const limit = await RateLimit.open({ calls: 5, folder: folder() });
    const passed = await Promise.all(Array.from({ length: 50 }, () => call(limit)));
    expect(passed.filter(Boolean)).toHaveLength(5);
    await limit.close();
  });

  it('goes on after a restart, also with a clock that was set back', async () => {
    const at = folder();
    const first = await RateLimit.open({ calls: 3, perMs: 1e9, folder: at });
    await call(first);
    await call(first);
    await first.close();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 1e12 });
    const second = await RateLimit.open({ calls: 3, perMs: 1e9, folder: at });
    expect([await call(second), await call(second)]).toEqual([true, false]);
    await second.close();
  });

  it('does not gain by a clock that is set while it runs', async () => {
    const limit = await RateLimit.open({ calls: 1, perMs: 1e9 });
    await call(limit);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1e12 });
    expect(await call(limit)).toBe(false);
  });

  it.each<[string, object, string]>([
    ['a typo', { call: 1 }, 'Did you mean `calls`'],
    ['no number', { calls: 'many' }, 'must be a number above 0'],
    ['a burst of nothing', { calls: 1, burst: 0.5 }, 'must be 1 at least'],
    ['a key', { calls: 1, key: 'user' }, 'must be a function'],
  ])('stops at %s', async (_name, options, message) => {
    await expect(RateLimit.open(options as RateLimitOptions)).rejects.toThrow(message);
  });

  it('blocks where its key fails', async () => {
    const limit = await RateLimit.open({ calls: 1, key: () => undefined as unknown as string });
    expect(() => limit.execute(contextOf())).toThrow('gave no text');
  });
});

describe('RateLimit over processes', () => {
  let program: string;
  beforeAll(async () => {
    program = await makeProgram(
      new URL('rate-limit.ts', import.meta.url),
      `try {
         const limit = await module.RateLimit.open({ calls: 100, perMs: 1e12, folder: process.argv[2] });
         for (let n = 0; ; n++) {
           const context = { tool: 't', user: '', decisionId: String(n) };
           if (limit.execute(context)?.allow === false) break;
           await limit.concluded(context, { outcome: 'allow', by: [] });
           process.stdout.write('run\\n');
         }
         process.stdout.write('end\\n');
       } catch (error) { process.stdout.write(error.code + '\\n'); }
       process.exit();`,
    );
  });

  it('killed at any moment, no call that ran is forgotten; and one process at a time has the folder', async () => {
    const at = folder();
    let ran = 0;
    let ended = false;
    for (let round = 0; round < 40 && !ended; round++) {
      const wanted = 3 + (round % 9);
      const { stdout } = await runProgram(program, [at], (text) => text.split('run\n').length > wanted);
      ran += stdout.split('run\n').length - 1;
      ended = stdout.includes('end');
    }
    expect(ended).toBe(true);
    // One may be written down and killed before it could say so.
    expect(ran).toBeLessThanOrEqual(100);
    expect(ran).toBeGreaterThan(50);
    const open = await RateLimit.open({ calls: 1, folder: at });
    expect((await runProgram(program, [at])).stdout).toBe('HO_POLICY_STORE\n');
    await open.close();
  }, 120_000);
});
