import { describe, expect, it } from 'vitest';
import type { PolicyHook } from '../hooks/hook.js';
import { call, PolicyScene } from './scene.test-support.js';

describe('sessionStart', () => {
  const start = (execute: PolicyHook['execute'], more: Partial<PolicyHook> = {}): PolicyHook => ({
    name: 'start',
    event: 'SessionStart',
    execute,
    ...more,
  });

  it('a session that is refused, or has not been let in yet, runs nothing; nor do its children', async () => {
    const scene = new PolicyScene([
      start(({ sessionId }) => new Promise((resolve) => setTimeout(() => resolve({ allow: sessionId !== 's1' }), 5))),
    ]);
    const refused = scene.policy.sessionStart({ sessionId: 's1' });
    const early = scene.decide();
    expect(await refused).toMatchObject({ decision: 'block', kind: 'denied', by: ['start'] });
    expect(await early).toMatchObject({ decision: 'block', kind: 'denied' });
    expect(await scene.policy.decide(call({ sessionId: 'child' }), { parentSessions: ['s1'] })).toMatchObject({
      kind: 'denied',
    });
    expect(await scene.policy.sessionStart({ sessionId: 's2' })).toBeUndefined();
    expect((await scene.decide({ sessionId: 's2' })).decision).toBe('allow');
  });

  it('fails closed, and a second start that is let in does not lift a refusal', async () => {
    let fails = true;
    const scene = new PolicyScene([
      start(() => {
        if (fails) throw new Error('x');
        return undefined;
      }),
    ]);
    await scene.policy.sessionStart({ sessionId: 's1' });
    fails = false;
    await scene.policy.sessionStart({ sessionId: 's1' });
    expect(await scene.decide()).toMatchObject({ kind: 'hook_error' });
  });
});
