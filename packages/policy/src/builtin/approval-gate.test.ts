import { describe, expect, it } from 'vitest';
import { registerHook } from '../hooks/registered-hook.js';
import { ApprovalGate, type ApprovalGateOptions } from './approval-gate.js';
import { BUILTIN_NAMES, builtinHooks } from './catalog.js';
import { contextOf } from './hook-context.test-support.js';

describe('ApprovalGate', () => {
  it('asks about each call that matches, with its terms', async () => {
    const terms = {
      expiresMs: 5000,
      approvers: ['slack:U1'],
      channels: ['slack'],
      requesterMayApprove: false,
      remember: { scopes: ['session'], maxMs: 1000 },
    } as const;
    const gate = new ApprovalGate({ title: 'Pay?', matcher: { tool: 'pay' }, ...terms });
    registerHook(gate, 1);
    expect(await gate.execute(contextOf())).toEqual({ ask: { title: 'Pay?', ...terms } });
  });

  it('asks when its predicate says so, in words of its own', async () => {
    const gate = new ApprovalGate({
      when: async ({ args }) => args.amount === 5,
      title: ({ args }) => `Pay ${String(args.amount)}?`,
    });
    expect(await gate.execute(contextOf({ args: { amount: 5 } }))).toEqual({ ask: { title: 'Pay 5?' } });
    expect(await gate.execute(contextOf({ args: { amount: 4 } }))).toBeUndefined();
  });

  it.each<[string, ApprovalGateOptions['when']]>([
    [
      'throws',
      () => {
        throw new Error('no agent');
      },
    ],
    ['gives nothing', () => undefined as unknown as boolean],
    ['gives 0', () => 0 as unknown as boolean],
    ['gives a promise of nothing', async () => undefined as unknown as boolean],
  ])('lets nothing pass where the predicate %s', async (_name, when) => {
    await expect((async () => new ApprovalGate({ when }).execute(contextOf()))()).rejects.toThrow();
  });

  it.each<[string, object, string]>([
    ['a typo', { expireMs: 5 }, 'Did you mean `expiresMs`'],
    ['no one', { approvers: [] }, 'must be a list of'],
    ['a name without a channel', { approvers: ['alice'] }, '<channel>:<id>'],
    ['no channel', { channels: [] }, 'must be a list of names'],
    ['a time', { expiresMs: 0 }, 'number of milliseconds'],
    ['a predicate', { when: true }, 'must be a function'],
  ])('stops at %s', (_name, options, message) => {
    expect(() => new ApprovalGate(options as ApprovalGateOptions)).toThrow(message);
  });
});

describe('builtinHooks', () => {
  it('makes each by its name', async () => {
    expect(BUILTIN_NAMES).toEqual([
      'ApprovalGate',
      'AuditLog',
      'CommandGuard',
      'PathGuard',
      'RateLimit',
      'ReadOnlyGuard',
      'ResultTruncate',
      'SpendLimit',
    ]);
    const [hook] = await builtinHooks('ResultTruncate', { maxCharacters: 500 });
    expect(registerHook(hook as NonNullable<typeof hook>, 1)).toMatchObject({
      name: 'ResultTruncate',
      event: 'PostToolUse',
    });
  });

  it.each<[string, object, string]>([
    ['ComandGuard', {}, 'Did you mean `CommandGuard`'],
    ['command_guard', {}, 'Did you mean `CommandGuard`'],
    ['constructor', {}, 'There are: '],
    ['RateLimit', { cals: 1 }, 'Did you mean `calls`'],
    ['PathGuard', null as unknown as object, 'must be an object'],
  ])('stops at %s %j', async (name, options, message) => {
    await expect(builtinHooks(name, options)).rejects.toThrow(
      expect.objectContaining({ code: 'HO_POLICY_CONFIG', message: expect.stringContaining(message) }),
    );
  });
});
