import { describe, expect, it, vi } from 'vitest';
import type { PolicyHook } from '../hooks/hook.js';
import { allow, call, deny, PolicyScene } from './scene.test-support.js';

describe('run', () => {
  it('runs once with the frozen arguments, and passes on the very value', async () => {
    const value = { done: true };
    const fn = vi.fn(() => value);
    expect(await new PolicyScene([allow('a')]).policy.run(call(), fn)).toBe(value);
    expect(fn.mock.calls).toEqual([[{ amount: 120, to: 'ACME' }]]);
  });

  it('does not run what is blocked', async () => {
    const fn = vi.fn();
    await expect(new PolicyScene([deny('d')]).policy.run(call(), fn)).rejects.toMatchObject({
      code: 'HO_POLICY_BLOCKED',
      reason: 'd says no',
      ran: false,
      verdict: { kind: 'denied', by: ['d'] },
    });
    expect(fn).not.toHaveBeenCalled();
  });

  it.each<[unknown, string]>([
    [new TypeError('x'), 'error'],
    [new DOMException('x', 'AbortError'), 'cancelled'],
    [new DOMException('x', 'TimeoutError'), 'timeout'],
    ['text', 'error'],
  ])('tells hooks of a call that failed, and throws the very error: %s', async (error, status) => {
    const ends: unknown[] = [];
    const post: PolicyHook = {
      name: 'p',
      event: 'PostToolUse',
      execute: (context) => void ends.push([context.status, context.args]),
    };
    const scene = new PolicyScene([post]);
    const thrown = await scene.policy.run(call(), () => Promise.reject(error)).catch((e: unknown) => e);
    expect(thrown).toBe(error);
    expect(ends).toEqual([[status, { amount: 120, to: 'ACME' }]]);
  });
});
