import { describe, expect, it } from 'vitest';
import { PolicyScene, rule } from './scene.test-support.js';

describe('modifiers', () => {
  const add = (name: string, key: string, priority: number) =>
    rule(name, ({ args }) => ({ modifiedArgs: { ...args, [key]: name } }), { modifies: true, priority });

  it('chain by priority, before all rules, and rules see what would run', async () => {
    const seen: unknown[] = [];
    const rules = rule('r', ({ args }) => void seen.push(args), { priority: -100 });
    const scene = new PolicyScene([add('second', 'a', 2), rules, add('first', 'a', 1), add('third', 'b', 3)]);
    const verdict = await scene.decide({ args: { x: 1 } });
    expect(verdict).toMatchObject({
      decision: 'allow',
      args: { a: 'second', b: 'third', x: 1 },
      by: ['first', 'second', 'third'],
    });
    expect(seen).toEqual([{ a: 'second', b: 'third', x: 1 }]);
    expect(scene.gates()).toEqual([
      'first modify modified',
      'second modify modified',
      'third modify modified',
      'r allow allowed',
    ]);
  });

  it('an answer that its hook changes afterwards is what it was', async () => {
    const own = { to: { account: 'a' } };
    const policy = new PolicyScene([
      rule('m', () => ({ modifiedArgs: own }), { modifies: true }),
      rule('evil', () => void Object.assign(own.to, { account: 'b' })),
    ]);
    expect(await policy.decide()).toMatchObject({ args: { to: { account: 'a' } } });
  });

  it('a rule that changes arguments has all rules asked anew, so that each said yes to what runs', async () => {
    const said: unknown[] = [];
    const watch = rule('watch', ({ args }) => void said.push(args.amount));
    const cap = rule('cap', ({ args }) =>
      (args.amount as number) > 100 ? { modifiedArgs: { ...args, amount: 100 } } : undefined,
    );
    const scene = new PolicyScene([watch, cap]);
    expect(await scene.decide()).toMatchObject({ decision: 'allow', args: { amount: 100, to: 'ACME' }, by: ['cap'] });
    expect(said).toEqual([120, 100]);
  });

  it('a change made behind a rule is not hidden from it: the denial counts', async () => {
    const big = rule('big', ({ args }) =>
      (args.amount as number) > 100 ? { allow: false, error: 'too much' } : undefined,
    );
    const raise = rule('raise', ({ args }) =>
      (args.amount as number) < 200 ? { modifiedArgs: { ...args, amount: 200 } } : undefined,
    );
    for (const hooks of [
      [big, raise],
      [raise, big],
    ]) {
      expect(await new PolicyScene(hooks).decide({ args: { amount: 1 } })).toMatchObject({
        kind: 'denied',
        reason: 'too much',
      });
    }
  });

  it('what does not settle is blocked', async () => {
    const flip = rule('flip', ({ args }) => ({ modifiedArgs: { n: (args.n as number) + 1 } }));
    const scene = new PolicyScene([flip]);
    expect(await scene.decide({ args: { n: 0 } })).toMatchObject({
      decision: 'block',
      kind: 'config_error',
      by: ['flip'],
    });
    expect(scene.gates()).toHaveLength(8);
  });

  it('the same arguments again are no change', async () => {
    const same = rule('same', ({ args }) => ({ modifiedArgs: { to: args.to, amount: args.amount } }));
    const scene = new PolicyScene([same]);
    expect(await scene.decide()).toMatchObject({ decision: 'allow', by: [] });
    expect(scene.gates()).toEqual(['same allow allowed']);
  });
});
