import { describe, expect, it } from 'vitest';
import { ask, deny, failing, PolicyScene, rule } from './scene.test-support.js';

describe('mode observe', () => {
  const hooks = [
    deny('d', { mode: 'observe' }),
    failing('f', { mode: 'observe' }),
    ask('a', {}, { mode: 'observe' }),
    rule('m', () => ({ modifiedArgs: { amount: 0 } }), { modifies: true, mode: 'observe' }),
  ];

  it('says what a hook would have done, and does none of it', async () => {
    const scene = new PolicyScene(hooks);
    expect(await scene.decide()).toMatchObject({ decision: 'allow', args: { amount: 120, to: 'ACME' }, by: [] });
    expect(scene.gates()).toEqual([
      'm modify modified observe',
      'd deny denied observe',
      'f deny hook_error observe',
      'a ask asked observe',
    ]);
    expect(scene.approvals.requests).toEqual([]);
  });

  it('of the policy holds for all of its hooks, and for calls that cannot be read', async () => {
    const scene = new PolicyScene([deny('d'), ask('a')], { mode: 'observe' });
    expect((await scene.decide()).decision).toBe('allow');
    expect(scene.gates()).toEqual(['d deny denied observe', 'a ask asked observe']);
    const args = {
      get x(): never {
        throw new Error('x');
      },
    };
    const verdict = await scene.decide({ args });
    expect(verdict.decision === 'allow' && verdict.args === args).toBe(true);
  });
});

describe('children', () => {
  const guard = deny('guard', { exemptRoles: ['researcher'] });

  it('have the hooks of their parents; an exemption names the role of the child, and is reported', async () => {
    const scene = new PolicyScene([guard]);
    expect((await scene.decide({ childRoles: ['writer'] })).decision).toBe('block');
    expect((await scene.decide({ childRoles: ['researcher'] })).decision).toBe('allow');
    expect(scene.gates()).toEqual(['guard deny denied', 'guard skip exempt']);
  });

  it.each<[string, readonly string[] | undefined]>([
    ['the agent itself', []],
    ['a caller of whom nothing is known', undefined],
    ['a child without a known role', ['']],
    ['a child of an exempt child', ['writer', 'researcher']],
  ])('no exemption for %s', async (_name, childRoles) => {
    expect((await new PolicyScene([guard]).decide({ childRoles })).decision).toBe('block');
  });
});

describe('evaluation', () => {
  it('is reported, keeps all rules, and asks nobody', async () => {
    const scene = new PolicyScene(
      [rule('e', ({ evaluation }) => (evaluation ? undefined : { allow: false })), ask('a')],
      { evaluation: { asks: 'deny' } },
    );
    expect(await scene.decide()).toMatchObject({ decision: 'block', kind: 'denied', by: ['a'] });
    expect(scene.payloads('observer_policy_decision')).toMatchObject([{ evaluation: true }, { evaluation: true }]);
    expect(scene.approvals.requests).toEqual([]);
    const lenient = new PolicyScene([ask('a')], { evaluation: { asks: 'allow' } });
    expect((await lenient.decide()).decision).toBe('allow');
    expect((await new PolicyScene([deny('d')], { evaluation: { asks: 'allow' } }).decide()).decision).toBe('block');
  });
});
