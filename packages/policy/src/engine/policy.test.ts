import { describe, expect, it, vi } from 'vitest';
import type { Conclusion, PolicyHook } from '../hooks/hook.js';
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

describe('hooks for results', () => {
  const post = (name: string, execute: PolicyHook['execute'], more: Partial<PolicyHook> = {}): PolicyHook => ({
    name,
    event: 'PostToolUse',
    execute,
    ...more,
  });
  const value = (hooks: PolicyHook[], result: unknown = 'secret') =>
    new PolicyScene(hooks).policy.run(call(), () => result);

  it('chain by priority', async () => {
    const add = (text: string) => post(text, ({ result }) => ({ modifiedResult: `${result}${text}` }));
    expect(await value([add('b'), { ...add('a'), priority: 1 }])).toBe('secretab');
  });

  it('see a frozen copy of what is an object', async () => {
    const result = { a: { b: 1 } };
    const evil = post('evil', (context) => {
      (context.result as { a: { b: number } }).a.b = 2;
      return undefined;
    });
    await expect(value([evil], result)).rejects.toMatchObject({ ran: true, verdict: { kind: 'hook_error' } });
    expect(result).toEqual({ a: { b: 1 } });
  });

  it.each<[string, PolicyHook['execute'], string]>([
    ['says no', () => ({ allow: false, error: 'not for you' }), 'denied'],
    [
      'throws',
      () => {
        throw new Error('x');
      },
      'hook_error',
    ],
    ['answers nonsense', () => 5 as never, 'hook_error'],
    ['is late', () => new Promise(() => {}), 'hook_timeout'],
  ])('withhold it where one %s, whatever those behind it say', async (_name, execute, kind) => {
    const scene = new PolicyScene([
      post('p', execute, { timeoutMs: 10 }),
      post('q', () => ({ modifiedResult: 'other' })),
    ]);
    await expect(scene.policy.run(call(), () => 'secret')).rejects.toMatchObject({
      code: 'HO_POLICY_BLOCKED',
      ran: true,
      verdict: { kind, by: ['p'] },
    });
    expect(scene.gates()).toEqual([`p deny ${kind}`, 'q modify modified']);
  });

  it('only say so in mode observe, or with onError allow', async () => {
    const no = () => ({ allow: false });
    const boom = () => {
      throw new Error('x');
    };
    expect(await value([post('p', no, { mode: 'observe' }), post('q', boom, { onError: 'allow' })])).toBe('secret');
  });
});

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
