import { describe, expect, it } from 'vitest';
import type { Approval } from '../approvals/approval.js';
import { canonicalJson } from '../call/canonical.js';
import { callDigest } from '../call/digest.js';
import { MemoryApprovals } from './approvals.test-support.js';
import { allow, ask, call, PolicyScene, rule } from './scene.test-support.js';

/** People who answer at once. */
function answering(state: 'approved' | 'rejected' | 'expired', hooks = [ask('gate')], options = {}): PolicyScene {
  const scene = new PolicyScene(hooks, options);
  scene.approvals.onRequest = ({ id }) => scene.approvals.answer(id, state);
  return scene;
}

describe('a call that a person has to approve', () => {
  it('runs once it is approved: claimed before it runs, settled when it has', async () => {
    const scene = answering('approved');
    const steps: unknown[] = [];
    await scene.policy.run(call(), () => {
      steps.push(scene.approvals.approvals.get('approval-1')?.state, [...scene.approvals.settled]);
    });
    expect(steps).toEqual(['executing', []]);
    expect(scene.approvals.settled).toEqual(['approval-1']);
  });

  it('counts as run when it fails: an approval is for one run', async () => {
    const scene = answering('approved');
    await expect(scene.policy.run(call(), () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(scene.approvals.settled).toEqual(['approval-1']);
  });

  it('is asked about with all of its arguments and their digest', async () => {
    const scene = answering('approved', [
      ask('gate', { title: 'Pay?', expiresMs: 5, approvers: ['slack:U1'], channels: ['slack'] }, { version: '3' }),
    ]);
    const verdict = await scene.decide({ user: 'U7', agent: 'a' });
    const args = canonicalJson(call().args);
    expect(scene.approvals.requests).toMatchObject([
      {
        tool: 'pay',
        args,
        digest: callDigest(call({ agent: 'a' }), args),
        title: 'Pay?',
        gates: [{ name: 'gate', version: '3' }],
        approvers: ['slack:U1'],
        channels: ['slack'],
        expiresMs: 5,
        user: 'U7',
        decisionId: verdict.decisionId,
      },
    ]);
    expect(verdict).toMatchObject({ decision: 'allow', by: ['gate'], approvalId: 'approval-1' });
  });

  it.each([
    ['rejected', 'denied', 'deny', 'refused it'],
    ['expired', 'expired', 'timeout', 'This is no consent'],
  ] as const)('is blocked when it is %s', async (state, kind, choice, reason) => {
    const scene = answering(state);
    const verdict = await scene.decide();
    expect(verdict).toMatchObject({ decision: 'block', kind, approvalId: 'approval-1', by: ['gate'] });
    expect((verdict as { reason: string }).reason).toContain(reason);
    expect(scene.payloads('post_approval_response')).toMatchObject([{ choice }]);
    expect(scene.gates()).toEqual(['gate ask asked', `policy:approval deny ${kind}`]);
  });

  it('leaves a wait in the trace: surface, request, digest, choice, decision, and an opaque approver', async () => {
    const scene = answering('approved', [ask('gate', { channels: ['slack'] })]);
    const verdict = await scene.decide();
    const question = {
      session_id: 's1',
      turn_id: 't1',
      tool_call_id: 'c1',
      surface: 'slack',
      pattern_key: 'gate',
      request_id: 'approval-1',
      request_digest: scene.approvals.requests[0]?.digest,
      decision_id: verdict.decisionId,
    };
    expect(scene.payloads('pre_approval_request')).toMatchObject([question]);
    const [answer] = scene.payloads('post_approval_response');
    expect(answer).toMatchObject({
      ...question,
      choice: 'once',
      approver_ref: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(JSON.stringify(scene.reports)).not.toMatch(/ACME|U1/);
    const again = answering('approved', [ask('gate')]);
    await again.decide();
    expect(again.payloads('post_approval_response')[0]?.approver_ref).not.toBe(answer?.approver_ref);
  });

  it('has the same approver reference wherever the salt is the same', async () => {
    const refs = [];
    for (let i = 0; i < 2; i++) {
      const scene = answering('approved', [ask('gate')], { approverSalt: 'salt' });
      await scene.decide();
      refs.push(scene.payloads('post_approval_response')[0]?.approver_ref);
    }
    expect(refs[0]).toBe(refs[1]);
  });

  it('is blocked where nobody is set up to be asked, or its arguments cannot be shown', async () => {
    expect(await new PolicyScene([ask('gate')], { approvals: undefined }).decide()).toMatchObject({
      kind: 'config_error',
    });
    const odd = answering('approved');
    expect(await odd.decide({ args: { when: new Date(0) } })).toMatchObject({
      kind: 'config_error',
      reason: expect.stringContaining('args.when is an object of a class (Date)'),
    });
    expect(odd.approvals.requests).toEqual([]);
  });

  it.each(['request', 'claim', 'answered', 'covering'] as const)(
    'is blocked when the store fails: %s',
    async (step) => {
      const scene = answering('approved');
      scene.approvals.failing = step;
      expect(await scene.decide()).toMatchObject({ decision: 'block', kind: 'hook_error' });
      expect(scene.failures).toMatchObject([{ gate: '', kind: 'hook_error' }]);
      expect(JSON.stringify(scene.reports)).not.toContain('the store is away');
    },
  );

  it('passes its value on when only the settling fails: it has run', async () => {
    const scene = answering('approved');
    scene.approvals.failing = 'settle';
    expect(await scene.policy.run(call(), () => 'done')).toBe('done');
    expect(scene.policy.stats.failures).toBe(1);
    expect(scene.approvals.approvals.get('approval-1')?.state).toBe('executing');
  });
});

describe('terms of several hooks', () => {
  it('all hold: shortest expiry, approvers and channels in all lists, the strictest of the rest', async () => {
    const scene = answering('approved', [
      ask('a', {
        approvers: ['slack:U1', 'slack:U2'],
        expiresMs: 100,
        remember: { scopes: ['session', 'arguments'], maxMs: 9 },
      }),
      ask('b', {
        approvers: ['slack:U2', 'web:me'],
        title: 'Sure?',
        requesterMayApprove: false,
        remember: { scopes: ['arguments'], maxMs: 5 },
      }),
      ask('c', { title: 'Really?', channels: ['slack'], remember: { scopes: ['arguments', 'pattern'], maxMs: 7 } }),
    ]);
    await scene.decide();
    expect(scene.approvals.requests).toMatchObject([
      {
        approvers: ['slack:U2'],
        channels: ['slack'],
        expiresMs: 100,
        requesterMayApprove: false,
        title: 'Sure? · Really?',
        remember: { scopes: ['arguments'], maxMs: 5 },
        gates: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      },
    ]);
  });

  it('are not remembered where one of them must not be', async () => {
    const scene = answering('approved', [ask('a', { remember: { scopes: ['session'], maxMs: 9 } }), ask('b')]);
    await scene.decide();
    expect(scene.approvals.requests).toMatchObject([{ remember: null, expiresMs: 3_600_000 }]);
  });

  it.each([
    [{ approvers: ['slack:U1'] }, { approvers: ['slack:U2'] }],
    [{ channels: ['slack'] }, { channels: ['feishu'] }],
  ])('that nobody can meet block: %j and %j', async (one, other) => {
    const scene = answering('approved', [ask('a', one), ask('b', other)]);
    expect(await scene.decide()).toMatchObject({ kind: 'config_error' });
    expect(scene.approvals.requests).toEqual([]);
  });
});

describe('what runs is what was approved', () => {
  it('whatever the caller does to its arguments while a person thinks', async () => {
    const scene = new PolicyScene([ask('gate')]);
    const args = { amount: 1, to: { account: 'good' } };
    scene.approvals.onRequest = ({ id }) => {
      args.amount = 1_000_000;
      args.to.account = 'evil';
      setTimeout(() => scene.approvals.answer(id, 'approved'), 5);
    };
    let ran: unknown;
    await scene.policy.run(call({ args }), (given) => {
      ran = given;
    });
    expect(canonicalJson(ran)).toBe(scene.approvals.requests[0]?.args);
    expect(ran).toEqual({ amount: 1, to: { account: 'good' } });
  });

  it.each([
    ['arguments', { args: '{"amount":1}' }],
    ['digest', { digest: 'f'.repeat(64) }],
    ['tool', { tool: 'refund' }],
  ])('a record whose %s are others runs nothing', async (_name, change) => {
    class Forged extends MemoryApprovals {
      override async answered(id: string, signal: AbortSignal | undefined) {
        return { ...(await super.answered(id, signal)), ...change };
      }
    }
    const approvals = new Forged();
    approvals.onRequest = ({ id }) => approvals.answer(id, 'approved');
    const scene = new PolicyScene([ask('gate')], { approvals }, approvals);
    expect(await scene.decide()).toMatchObject({
      kind: 'config_error',
      reason: 'What was approved is not what is about to run.',
    });
    expect(approvals.claims).toEqual([]);
  });

  it('a modifier runs before the question, never behind it', async () => {
    const modify = rule('m', ({ args }) => ({ modifiedArgs: { ...args, amount: 5 } }), {
      modifies: true,
      priority: 1000,
    });
    const scene = answering('approved', [ask('gate', {}, { priority: -1000 }), modify]);
    const verdict = await scene.decide();
    expect(scene.approvals.requests[0]?.args).toBe('{"amount":5,"to":"ACME"}');
    expect(verdict).toMatchObject({ decision: 'allow', args: { amount: 5, to: 'ACME' } });
  });
});

describe('the very same call again', () => {
  it('finds its request, and runs no second time', async () => {
    const scene = answering('approved');
    expect((await scene.decide()).decision).toBe('allow');
    expect(await scene.decide()).toMatchObject({ kind: 'already_run', reason: 'This very call is running already.' });
    await scene.policy.result(
      call(),
      { status: 'ok' },
      { verdict: { decision: 'allow', approvalId: 'approval-1' } as never },
    );
    expect(await scene.decide()).toMatchObject({ kind: 'already_run', reason: 'This very call has run already.' });
    expect(scene.approvals.approvals.size).toBe(1);
  });

  it('asked twice at once runs once', async () => {
    const scene = new PolicyScene([ask('gate')]);
    scene.approvals.onRequest = ({ id }) => setTimeout(() => scene.approvals.answer(id, 'approved'), 5);
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => scene.decide()));
    expect(verdicts.filter(({ decision }) => decision === 'allow')).toHaveLength(1);
    expect(scene.approvals.claims).toHaveLength(1);
  });

  it('with other arguments, in another session or without an id is another call', async () => {
    const scene = answering('approved');
    for (const more of [
      {},
      { args: { amount: 1 } },
      { sessionId: 's2' },
      { agent: 'b' },
      { callId: '' },
      { callId: '' },
    ]) {
      expect((await scene.decide(more)).decision).toBe('allow');
    }
    expect(scene.approvals.approvals.size).toBe(6);
  });

  it('that was begun by a process that is gone has an unknown outcome', async () => {
    const scene = answering('approved');
    await scene.decide();
    const [approval] = scene.approvals.approvals.values();
    scene.approvals.approvals.set('approval-1', { ...(approval as Approval), state: 'outcome_unknown' });
    expect(await scene.decide()).toMatchObject({ decision: 'block', kind: 'outcome_unknown' });
  });
});

describe('calls of one batch', () => {
  it('are decided one by one: one waits, one is refused, and the others run meanwhile', async () => {
    const big = ask('big', {}, { matcher: { args: { amount: { above: 100 } } } });
    const scene = new PolicyScene([big]);
    const ran: string[] = [];
    const pay = (callId: string, amount: number) =>
      scene.policy.run(call({ callId, args: { amount } }), () => void ran.push(callId)).catch(() => {});
    const all = [pay('a', 5), pay('b', 500), pay('c', 7), pay('d', 900)];
    await all[0];
    await all[2];
    expect(ran).toEqual(['a', 'c']);
    expect(scene.approvals.requests.map(({ callId }) => callId)).toEqual(['b', 'd']);
    scene.approvals.answer('approval-2', 'rejected');
    scene.approvals.answer('approval-1', 'approved');
    await Promise.all(all);
    expect(ran).toEqual(['a', 'c', 'b']);
  });
});

describe('waiting', () => {
  it('ends at the caller’s deadline: pending, and asked again it gets the answer', async () => {
    const scene = new PolicyScene([ask('gate')]);
    expect(await scene.policy.decide(call(), { deadlineMs: 5 })).toMatchObject({
      kind: 'pending',
      approvalId: 'approval-1',
    });
    expect(scene.payloads('post_approval_response')).toMatchObject([{ choice: 'pending' }]);
    scene.approvals.answer('approval-1', 'approved');
    expect(await scene.decide()).toMatchObject({ decision: 'allow', approvalId: 'approval-1' });
    expect(scene.payloads('post_approval_response')).toMatchObject([{ choice: 'pending' }, { choice: 'once' }]);
  });

  it('ends when the caller calls it off, and then nobody is asked any more', async () => {
    const scene = new PolicyScene([ask('gate')]);
    const abort = new AbortController();
    scene.approvals.onRequest = () => abort.abort();
    expect(await scene.policy.decide(call(), { signal: abort.signal })).toMatchObject({ kind: 'cancelled' });
    expect(scene.approvals.approvals.get('approval-1')?.state).toBe('cancelled');
    expect(scene.approvals.answer('approval-1', 'approved')).toBe(false);
    expect(await scene.policy.decide(call({ callId: 'c2' }), { signal: abort.signal })).toMatchObject({
      kind: 'cancelled',
    });
    expect(scene.approvals.requests).toHaveLength(1);
  });

  it('ends when the policy is closed, and the question stays', async () => {
    const scene = new PolicyScene([ask('gate')]);
    scene.approvals.onRequest = () => void scene.policy.close();
    expect(await scene.decide()).toMatchObject({ kind: 'pending' });
    expect(scene.approvals.approvals.get('approval-1')?.state).toBe('pending');
  });

  it('leaves no listener behind on a signal that lives on', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--;
      remove(...given);
    };
    const scene = answering('approved');
    for (let i = 0; i < 10; i++) await scene.policy.decide(call({ callId: `c${i}` }), { signal });
    expect(listeners).toBe(0);
  });
});

describe('an answer that is remembered', () => {
  it('lets a call run without a question, and the trace says so', async () => {
    const scene = new PolicyScene([allow('a'), ask('gate', { remember: { scopes: ['session'], maxMs: 1000 } })]);
    scene.approvals.remembered = { id: 'r1', decider: { channel: 'web', id: 'root' } } as never;
    expect(await scene.decide()).toMatchObject({ decision: 'allow', approvalId: undefined, by: ['gate'] });
    expect(scene.approvals.requests).toEqual([]);
    expect(scene.gates()).toEqual(['a allow allowed', 'gate ask asked', 'policy:approval allow remembered']);
  });
});
