import { describe, expect, it, vi } from 'vitest';
import { callDigest } from '../call/digest.js';
import type { PolicyHook } from '../hooks/hook.js';
import { createPolicy } from './policy.js';
import { allow, ask, call, deny, failing, PolicyScene, rule } from './scene.test-support.js';

describe('decide', () => {
  it('allows what no hook objects to, with frozen arguments', async () => {
    const scene = new PolicyScene([allow('a'), rule('b', undefined)]);
    const given = call();
    const verdict = await scene.policy.decide(given);
    expect(verdict).toMatchObject({
      decision: 'allow',
      args: { amount: 120, to: 'ACME' },
      by: [],
      approvalId: undefined,
    });
    expect(verdict.decision === 'allow' && Object.isFrozen(verdict.args) && verdict.args !== given.args).toBe(true);
    expect(scene.gates()).toEqual(['a allow allowed', 'b allow allowed']);
    expect(scene.policy.stats).toMatchObject({ decided: 1, allowed: 1, failures: 0 });
  });

  it('tells rules the digest of what would run, and modifiers none', async () => {
    const told: string[] = [];
    const modify = rule(
      'm',
      ({ digest }) => {
        told.push(digest);
        return { modifiedArgs: { amount: 1 } };
      },
      { modifies: true },
    );
    const verdict = await new PolicyScene([modify, rule('r', ({ digest }) => void told.push(digest))]).decide();
    expect(told).toEqual(['', callDigest(call(), '{"amount":1}')]);
    expect(verdict).toMatchObject({ digest: told[1] });
  });

  it('asks all rules, also behind a denial, and says who denied', async () => {
    const scene = new PolicyScene([deny('a'), allow('b'), ask('c'), deny('d')]);
    expect(await scene.decide()).toMatchObject({
      decision: 'block',
      kind: 'denied',
      reason: 'a says no',
      by: ['a', 'd'],
    });
    expect(scene.gates()).toEqual(['a deny denied', 'b allow allowed', 'c ask asked', 'd deny denied']);
    expect(scene.approvals.requests).toEqual([]);
  });

  it('says why each gate decided as it did, in a bounded text', async () => {
    const scene = new PolicyScene([
      rule('a', { ask: { title: 'Is it due?' } }),
      allow('b'),
      rule('c', { allow: false, error: 'x'.repeat(10_000) }),
      rule('d', 7 as never),
    ]);
    await scene.decide();
    expect(scene.payloads('observer_policy_decision').map(({ reason }) => reason)).toEqual([
      'Is it due?',
      undefined,
      'x'.repeat(4_000),
      'd failed, and could not decide.',
    ]);
  });

  it('gives one decision id to all gates of a call, with durations and what the hook is', async () => {
    const scene = new PolicyScene([allow('a', { version: '2' }), rule('b', { sideEffects: ['told the bank'] })]);
    const verdict = await scene.decide();
    expect(scene.payloads('observer_policy_decision')).toMatchObject([
      {
        gate: 'a',
        version: '2',
        mode: 'enforce',
        on_error: 'block',
        decision_id: verdict.decisionId,
        tool_call_id: 'c1',
        turn_id: 't1',
      },
      { gate: 'b', side_effects: ['told the bank'], decision_id: verdict.decisionId, duration_ms: expect.any(Number) },
    ]);
    expect(JSON.stringify(scene.reports)).not.toContain('ACME');
  });
});

describe('a guard that cannot decide blocks, and the kind says why', () => {
  const late = (name: string, more: Partial<PolicyHook> = {}) =>
    rule(name, () => new Promise(() => {}), { timeoutMs: 10, ...more });

  it.each<[string, PolicyHook, string, string]>([
    ['it throws', failing('g'), 'hook_error', 'g failed, and could not decide.'],
    ['it rejects', rule('g', () => Promise.reject(new Error('x'))), 'hook_error', 'g failed'],
    ['it is late', late('g'), 'hook_timeout', 'g did not answer in time.'],
    ['it answers nonsense', rule('g', () => 'deny'), 'hook_error', 'g failed'],
    ['it answers a field that is none', rule('g', () => ({ alow: false })), 'hook_error', 'g failed'],
    [
      'its condition throws',
      allow('g', {
        shouldTrigger: () => {
          throw new Error('x');
        },
      }),
      'hook_error',
      'g failed',
    ],
    [
      'its condition is neither true nor false',
      allow('g', { shouldTrigger: () => undefined as never }),
      'hook_error',
      'g failed',
    ],
    [
      'its condition is a promise',
      allow('g', { shouldTrigger: (async () => false) as never }),
      'hook_error',
      'g failed',
    ],
    ['its matcher cannot tell', allow('g', { matcher: { args: { to: { above: 5 } } } }), 'hook_error', 'g failed'],
    [
      'it changes what it is shown',
      rule('g', ({ args }) => {
        (args as { amount: number }).amount = 1;
      }),
      'hook_error',
      'g failed',
    ],
    ['it has a deny to say', deny('g'), 'denied', 'g says no'],
  ])('%s', async (_name, hook, kind, reason) => {
    const scene = new PolicyScene([allow('before'), hook, allow('after')]);
    const verdict = await scene.decide();
    expect(verdict).toMatchObject({ decision: 'block', kind, by: ['g'] });
    expect((verdict as { reason: string }).reason).toContain(reason);
    expect(scene.gates()).toEqual(['before allow allowed', `g deny ${kind}`, 'after allow allowed']);
    if (kind !== 'denied') expect(scene.failures).toMatchObject([{ gate: 'g', event: 'PreToolUse', kind }]);
    expect(JSON.stringify([verdict, scene.reports])).not.toContain('sk-secret');
    expect(scene.policy.stats.blocked).toEqual({ [kind]: 1 });
  });

  it('unless it is registered with onError allow, which the trace shows', async () => {
    const scene = new PolicyScene([failing('g', { onError: 'allow' }), late('h', { onError: 'allow' })]);
    expect((await scene.decide()).decision).toBe('allow');
    expect(scene.gates()).toEqual(['g allow hook_error', 'h allow hook_timeout']);
    expect(scene.payloads('observer_policy_decision')[0]).toMatchObject({ on_error: 'allow' });
  });

  it('an explicit no with onError allow is a no', async () => {
    expect((await new PolicyScene([deny('g', { onError: 'allow' })]).decide()).decision).toBe('block');
  });

  it('warns of the process once for each hook, without the text of the error', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    try {
      const policy = createPolicy({ hooks: [failing('g')] });
      await policy.decide(call());
      await policy.decide(call());
      expect(warned.mock.calls.map(([text]) => text)).toEqual([
        'hook g (PreToolUse) failed; more of this kind are only counted',
      ]);
      expect(policy.stats.failures).toBe(2);
    } finally {
      warned.mockRestore();
    }
  });

  it('a call that cannot be read is blocked', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const hostile = {
      get amount(): never {
        throw new Error('sk-secret');
      },
    };
    const scene = new PolicyScene([]);
    for (const args of [cycle, hostile, 'x' as never, null as never, [1] as never, new Date(0) as never]) {
      expect(await scene.decide({ args })).toMatchObject({ decision: 'block', kind: 'hook_error' });
    }
    expect(JSON.stringify(await scene.decide({ args: hostile }))).not.toContain('sk-secret');
    expect(await scene.policy.decide(undefined as never)).toMatchObject({ decision: 'block' });
  });

  it('a sink or a listener that throws changes nothing', async () => {
    const boom = () => {
      throw new Error('x');
    };
    const policy = createPolicy({ hooks: [deny('a'), failing('b')], report: { report: boom }, onFailure: boom });
    expect(await policy.decide(call())).toMatchObject({ kind: 'denied', by: ['a', 'b'] });
  });
});

describe('options', () => {
  it.each<[Record<string, unknown>, RegExp]>([
    [{ approval: {} }, /Did you mean `approvals`\?/],
    [{ mode: 'observ' }, /`enforce` or `observe`/],
    [{ evaluation: { asks: 'yes' } }, /`deny` or `allow`/],
    [{ hooks: {} }, /must be a list/],
    [{ approvals: {} }, /no `request`/],
  ])('that make no sense stop the start: %j', (options, message) => {
    expect(() => createPolicy({ hooks: [], ...options } as never)).toThrow(message);
  });
});

describe('explain', () => {
  it('says what would be decided and why, and does none of it', async () => {
    const concluded = vi.fn();
    const scene = new PolicyScene([
      { ...allow('audit'), concluded },
      ask('gate'),
      deny('other', { matcher: { tool: 'x' } }),
    ]);
    expect(await scene.policy.explain(call())).toMatchObject({
      outcome: 'ask',
      by: ['gate'],
      args: { amount: 120, to: 'ACME' },
      gates: [
        { gate: 'audit', outcome: 'allow' },
        { gate: 'gate', outcome: 'ask' },
      ],
    });
    expect(await scene.policy.explain(call({ tool: 'x' }))).toMatchObject({
      outcome: 'deny',
      kind: 'denied',
      by: ['other'],
    });
    expect([scene.reports, scene.approvals.requests, concluded.mock.calls]).toEqual([[], [], []]);
    await expect(scene.policy.explain(call({ args: null as never }))).rejects.toThrow('no object');
  });
});

describe('close', () => {
  it('closes all hooks, also behind one that fails', async () => {
    const closed: string[] = [];
    const scene = new PolicyScene([
      allow('a', { close: () => Promise.reject(new Error('x')) }),
      allow('b', { close: () => void closed.push('b') }),
    ]);
    await scene.policy.close();
    expect(closed).toEqual(['b']);
    expect(scene.failures).toMatchObject([{ gate: 'a' }]);
  });
});
