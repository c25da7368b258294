import { Hub } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import type { PolicyHook } from '../hooks/hook.js';
import { MemoryApprovals } from './approvals.test-support.js';
import type { PolicyOptions } from './options.js';
import { createPolicy, type Policy } from './policy.js';
import { allow, ask, deny, rule } from './scene.test-support.js';

class HubScene {
  readonly hub = new Hub({ onError: () => {} });
  readonly approvals = new MemoryApprovals();
  readonly policy: Policy;
  readonly detach: () => void;
  readonly records: { readonly hook: string; readonly payload: Readonly<Record<string, unknown>> }[] = [];

  constructor(hooks: readonly PolicyHook[], options: Partial<PolicyOptions> = {}) {
    this.policy = createPolicy({ hooks, approvals: this.approvals, onFailure: () => {}, ...options });
    this.hub.on('*', (payload, meta) => void this.records.push({ hook: meta.hook, payload: payload as never }));
    this.detach = this.policy.attach(this.hub, { agent: 'planner' });
  }

  payloadOf(more: Record<string, unknown> = {}) {
    return {
      tool_name: 'pay',
      args: { amount: 120 } as never,
      session_id: 's',
      turn_id: 't',
      task_id: 'k',
      tool_call_id: 'c',
      ...more,
    };
  }

  ask(more: Record<string, unknown> = {}, signal?: AbortSignal) {
    const payload = this.payloadOf(more);
    this.hub.emit('pre_tool_call', payload);
    return this.hub.ask('pre_tool_call', payload, { timeoutMs: 5, ...(signal ? { signal } : {}) });
  }

  end(more: Record<string, unknown> = {}) {
    this.hub.emit('post_tool_call', this.payloadOf({ status: 'ok', result: 'paid', ...more }));
  }

  /** The agent asks for another text of a result. */
  async transform(more: Record<string, unknown> = {}) {
    return (await this.hub.ask('transform_tool_result', this.payloadOf({ status: 'ok', result: 'paid', ...more })))
      .value;
  }
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 10));

describe('a policy in a hub', () => {
  it('answers with exactly the frozen arguments, whatever becomes of the caller’s', async () => {
    const args = { amount: 120, to: { account: 'good' } };
    const scene = new HubScene([rule('slow', () => new Promise((resolve) => setTimeout(resolve, 10)))]);
    const asked = scene.ask({ args });
    args.to.account = 'evil';
    const { decision, args: decided } = await asked;
    args.amount = 1;
    expect([decision, decided]).toEqual(['allow', { amount: 120, to: { account: 'good' } }]);
    expect(Object.isFrozen(decided)).toBe(true);
  });

  it('sees what others made of the arguments, and nobody changes them behind it', async () => {
    const seen: unknown[] = [];
    const scene = new HubScene([rule('r', ({ args }) => void seen.push(args))]);
    scene.hub.respond('pre_tool_call', () => ({ action: 'modify', args: { amount: 5 } }), { priority: 1_000_000 });
    expect((await scene.ask()).args).toEqual({ amount: 5 });
    expect(seen).toEqual([{ amount: 5 }]);
    scene.hub.respond('pre_tool_call', () => ({ action: 'modify', args: { amount: 7 } }), {
      name: 'late',
      priority: Number.POSITIVE_INFINITY,
    });
    expect(await scene.ask({ tool_call_id: 'd' })).toMatchObject({
      decision: 'block',
      kind: 'hook_error',
      by: ['late'],
    });
  });

  it('blocks with its kind, reports to the hub, and asks nothing of an agent it has no hook for', async () => {
    const scene = new HubScene([deny('d', { matcher: { tool: 'pay' } })]);
    expect(await scene.ask()).toMatchObject({ decision: 'block', kind: 'denied', reason: 'd says no', by: ['policy'] });
    expect(scene.records.filter(({ hook }) => hook === 'observer_policy_decision')).toMatchObject([
      { payload: { gate: 'd', outcome: 'deny', tool_call_id: 'c' } },
    ]);
    const args = {};
    expect((await scene.ask({ tool_name: 'read', args })).args).toBe(args);
    scene.detach();
    expect((await scene.ask()).decision).toBe('allow');
    expect(scene.hub.hasResponder('pre_tool_call')).toBe(false);
  });

  it('gets along with another policy', async () => {
    const scene = new HubScene([allow('a')]);
    createPolicy({ name: 'second', hooks: [allow('b')] }).attach(scene.hub);
    expect(await scene.ask()).toMatchObject({ decision: 'allow', args: { amount: 120 } });
    createPolicy({ name: 'third', hooks: [deny('c')] }).attach(scene.hub);
    expect(await scene.ask({ tool_call_id: 'd' })).toMatchObject({ decision: 'block', by: ['third'] });
    expect(() => createPolicy({ hooks: [] }).attach(scene.hub)).toThrow('policy:policy');
  });

  it('waits for a person for longer than any guard has', async () => {
    const scene = new HubScene([ask('gate')]);
    scene.approvals.onRequest = ({ id }) => setTimeout(() => scene.approvals.answer(id, 'approved'), 40);
    expect((await scene.ask()).decision).toBe('allow');
  });

  it('is told of the end of a call, and settles it', async () => {
    const scene = new HubScene([ask('gate')]);
    scene.approvals.onRequest = ({ id }) => scene.approvals.answer(id, 'approved');
    await scene.ask();
    expect(scene.approvals.settled).toEqual([]);
    scene.end();
    await tick();
    expect(scene.approvals.settled).toEqual(['approval-1']);
  });

  it.each(['error', 'cancelled', 'timeout', 'blocked'])(
    'settles a call that ended as %s: it does not run again',
    async (status) => {
      const scene = new HubScene([ask('gate')]);
      scene.approvals.onRequest = ({ id }) => scene.approvals.answer(id, 'approved');
      await scene.ask();
      scene.end({ status, result: null });
      await tick();
      expect(scene.approvals.settled).toEqual(['approval-1']);
      expect(await scene.ask()).toMatchObject({ decision: 'block', kind: 'already_run' });
    },
  );

  it('calls a question off with its signal', async () => {
    const scene = new HubScene([ask('gate')]);
    const abort = new AbortController();
    scene.approvals.onRequest = () => abort.abort();
    expect(await scene.ask({}, abort.signal)).toMatchObject({ decision: 'block', kind: 'hook_aborted' });
    await tick();
    expect(scene.approvals.approvals.get('approval-1')?.state).toBe('cancelled');
  });

  it('in mode observe has no opinion at all', async () => {
    const scene = new HubScene([deny('d'), ask('a')], { mode: 'observe' });
    const args = { amount: 1 };
    expect(await scene.ask({ args })).toEqual({ decision: 'allow', args, by: [] });
    expect(scene.records.filter(({ hook }) => hook === 'observer_policy_decision')).toHaveLength(2);
  });

  it.each([
    ['a text', 'rm -rf /'],
    ['a list', ['rm', '-rf']],
    ['nothing', undefined],
  ])('lets hooks look at arguments that are no object: %s', async (_name, args) => {
    const seen: unknown[] = [];
    const scene = new HubScene([rule('r', (context) => void seen.push(context.args))]);
    const { decision, args: decided } = await scene.ask({ args });
    expect([decision, seen]).toEqual(['allow', [args === undefined ? {} : { args }]]);
    expect(decided).toEqual(Array.isArray(args) ? args : {});
    if (Array.isArray(args)) expect(Object.isFrozen(decided)).toBe(true);
  });
});

describe('results in a hub', () => {
  const post = (execute: PolicyHook['execute']): PolicyHook => ({ name: 'p', event: 'PostToolUse', execute });

  it('are what hooks make of them, once, whichever way and order the agent tells of them in', async () => {
    for (const order of ['post first', 'transform first', 'transform alone'] as const) {
      let asked = 0;
      const scene = new HubScene([
        post(({ result, status }) => {
          asked++;
          return { modifiedResult: `${status}: ${String(result).slice(0, 2)}` };
        }),
      ]);
      await scene.ask();
      if (order === 'post first') scene.end();
      expect(await scene.transform()).toBe('ok: pa');
      if (order === 'transform first') scene.end();
      await tick();
      expect(asked).toBe(1);
    }
  });

  it('are asked about again for another call with the same id', async () => {
    let asked = 0;
    const scene = new HubScene([post(() => void asked++)]);
    for (let i = 0; i < 3; i++) {
      await scene.ask({ tool_call_id: 'call_0' });
      scene.end({ tool_call_id: 'call_0' });
      await scene.transform({ tool_call_id: 'call_0' });
    }
    expect(asked).toBe(3);
  });

  it('are withheld, before any other may say what they are', async () => {
    const scene = new HubScene([post(() => ({ allow: false, error: 'not for you' }))]);
    scene.hub.respond('transform_tool_result', () => 'leaked', { priority: -1_000_000 });
    expect(await scene.transform()).toBe('not for you');
  });

  it('of calls that failed are told as well, and those of blocked calls are not', async () => {
    const seen: unknown[] = [];
    const scene = new HubScene([post(({ status, errorType }) => void seen.push([status, errorType]))]);
    for (const status of ['error', 'cancelled', 'timeout', 'blocked']) {
      scene.end({ tool_call_id: status, status, result: null, error_type: `is_${status}` });
    }
    scene.end({ tool_call_id: 'object', result: { a: 1 } });
    scene.end({ tool_call_id: 'text' });
    await tick();
    expect(seen).toEqual([
      ['error', 'is_error'],
      ['cancelled', 'is_cancelled'],
      ['timeout', 'is_timeout'],
      ['ok', undefined],
      ['ok', undefined],
    ]);
  });
});

describe('children in a hub', () => {
  const start = (role: string, session: string, more: Record<string, unknown> = {}) => ({
    parent_session_id: 's',
    parent_turn_id: 't',
    child_session_id: session,
    child_subagent_id: `agent-${session}`,
    child_role: role,
    ...more,
  });

  it('are known by session or by task, with all roles above, the platform and the user of the work they are part of', async () => {
    const seen: unknown[] = [];
    const scene = new HubScene([
      rule('r', ({ childRoles, platform, user, agent }) => void seen.push([childRoles, platform, user, agent])),
    ]);
    scene.hub.emit('pre_llm_call', { session_id: 's', platform: 'slack', sender_id: 'U7' });
    scene.hub.emit('subagent_start', start('researcher', 'cs'));
    scene.hub.emit('pre_llm_call', { session_id: 'cs', platform: 'subagent' });
    scene.hub.emit('subagent_start', start('writer', '', { parent_session_id: 'cs', child_subagent_id: 'agent-w' }));
    await scene.ask();
    await scene.ask({ session_id: 'cs' });
    await scene.ask({ session_id: '', task_id: 'agent-w' });
    expect(seen).toEqual([
      [[], 'slack', 'U7', 'planner'],
      [['researcher'], 'slack', 'U7', 'planner'],
      [['writer', 'researcher'], 'slack', 'U7', 'planner'],
    ]);
  });

  it('do not get out of a rule by being children, nor by having ended', async () => {
    const scene = new HubScene([deny('d', { matcher: { platform: 'slack', childRole: 'researcher' } })]);
    scene.hub.emit('pre_llm_call', { session_id: 's', platform: 'slack' });
    scene.hub.emit('subagent_start', start('researcher', 'cs'));
    expect((await scene.ask()).decision).toBe('allow');
    expect((await scene.ask({ session_id: 'cs', task_id: 'agent-cs' })).decision).toBe('block');
    scene.hub.emit(
      'subagent_start',
      start('writer', 'gs', { parent_session_id: 'cs', parent_subagent_id: 'agent-cs' }),
    );
    expect((await scene.ask({ session_id: 'gs' })).decision).toBe('block');
    scene.hub.emit('subagent_stop', start('researcher', 'cs'));
    expect((await scene.ask({ session_id: 'cs' })).decision).toBe('block');
  });

  it('that are each other’s parents end nowhere', async () => {
    const scene = new HubScene([allow('a')]);
    scene.hub.emit('subagent_start', start('a', 'x', { parent_session_id: 'y' }));
    scene.hub.emit('subagent_start', start('b', 'y', { parent_session_id: 'x' }));
    expect((await scene.ask({ session_id: 'x' })).decision).toBe('allow');
  });

  it('of a session that was refused are refused', async () => {
    const scene = new HubScene([
      { name: 'start', event: 'SessionStart', execute: async ({ platform }) => ({ allow: platform !== 'web' }) },
    ]);
    scene.hub.emit('on_session_start', { session_id: 's', platform: 'web' });
    scene.hub.emit('subagent_start', start('a', 'cs'));
    expect(await scene.ask({ session_id: 'cs' })).toMatchObject({ decision: 'block', kind: 'denied' });
    expect((await scene.ask({ session_id: 'other' })).decision).toBe('allow');
  });
});
