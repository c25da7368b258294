import { describe, expect, it } from 'vitest';
import type { Conclusion, PolicyHook } from '../hooks/hook.js';
import { allow, ask, call, deny, PolicyScene, rule } from './scene.test-support.js';

describe('concluded', () => {
  const audit = (told: Conclusion[], more: Partial<PolicyHook> = {}): PolicyHook => ({
    ...allow('audit', more),
    concluded: async (_context, conclusion) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      told.push(conclusion);
    },
  });

  it('is told what the rules came to, of allowed, denied and asked calls, before they run', async () => {
    const told: Conclusion[] = [];
    await new PolicyScene([audit(told)]).decide();
    await new PolicyScene([audit(told), deny('d')]).decide();
    const asked = new PolicyScene([audit(told), ask('a')]);
    asked.approvals.onRequest = ({ id }) => {
      expect(told).toHaveLength(3);
      asked.approvals.answer(id, 'approved');
    };
    await asked.decide();
    expect(told).toEqual([
      { outcome: 'allow', kind: undefined, reason: undefined, by: [] },
      { outcome: 'deny', kind: 'denied', reason: 'd says no', by: ['d'] },
      { outcome: 'ask', kind: undefined, reason: undefined, by: ['a'] },
    ]);
  });

  it('blocks when it fails, before anybody is asked', async () => {
    const full = { ...allow('audit'), concluded: () => Promise.reject(new Error('disk full')) };
    const scene = new PolicyScene([full, ask('a')]);
    expect(await scene.decide()).toMatchObject({ decision: 'block', kind: 'hook_error', by: ['audit'] });
    expect(scene.approvals.requests).toEqual([]);
    const lenient = new PolicyScene([{ ...full, onError: 'allow' }]);
    expect((await lenient.decide()).decision).toBe('allow');
    expect(lenient.gates()).toEqual(['audit allow allowed', 'audit allow hook_error']);
  });

  it('is not told of calls that do not match, and is told of those that were called off', async () => {
    const told: Conclusion[] = [];
    await new PolicyScene([audit(told, { matcher: { tool: 'other' } })]).decide();
    expect(told).toEqual([]);
    const scene = new PolicyScene([
      audit(told),
      rule('late', () => new Promise(() => setTimeout(() => abort.abort(), 5))),
    ]);
    const abort = new AbortController();
    expect(await scene.policy.decide(call(), { signal: abort.signal })).toMatchObject({ kind: 'cancelled' });
    expect(told).toMatchObject([{ outcome: 'deny', kind: 'cancelled' }]);
  });
});
