import { Hub } from '@hermes-observer/core';
import { createObserver, type InstrumentedTurn, type ToolBlockedError } from '@hermes-observer/otel';
import { createPolicy, type PolicyHook } from '@hermes-observer/policy';
import { SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { MemoryApprovals } from '../packages/policy/src/engine/approvals.test-support.js';

const SECRET = 'account-of-ACME';

const gate = (name: string, execute: PolicyHook['execute'], more: Partial<PolicyHook> = {}): PolicyHook => ({
  name,
  event: 'PreToolUse',
  execute,
  ...more,
});

/** An agent in this process, with a policy in its hub. */
class Agent {
  readonly exporter = new InMemorySpanExporter();
  readonly approvals = new MemoryApprovals();
  readonly observer;

  constructor(hooks: readonly PolicyHook[], capture: 'none' | 'full' = 'none') {
    const hub = new Hub({ onError: () => {} });
    this.observer = createObserver({ exporters: [this.exporter], env: {}, onWarning: () => {}, hub, capture });
    createPolicy({ hooks, approvals: this.approvals, onFailure: () => {} }).attach(hub, { agent: 'planner' });
  }

  turn<T>(fn: (turn: InstrumentedTurn) => T | Promise<T>): Promise<T> {
    return this.observer.turn({ sessionId: 's', platform: 'cli' }, fn);
  }

  pay(args: Record<string, unknown> = { amount: 120, to: SECRET }) {
    return this.turn((turn) => turn.tool({ name: 'pay', args, callId: 'c1', guardTimeoutMs: 5 }, (given) => given));
  }

  async span(name: string) {
    await this.observer.flush();
    const spans = this.exporter.getFinishedSpans();
    const found = spans.find((span) => span.name === name);
    if (found === undefined) throw new Error(`no ${name} among ${spans.map((span) => span.name).join(', ')}`);
    return found;
  }

  async text(): Promise<string> {
    await this.observer.flush();
    return JSON.stringify(
      this.exporter
        .getFinishedSpans()
        .map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
  }
}

const thrown = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: ToolBlockedError) => error,
  );

describe('a policy around turn.tool, in the trace', () => {
  it('each gate is an event of the call’s span, with what it decided and why', async () => {
    const agent = new Agent([
      gate('cap', ({ args }) => ({ modifiedArgs: { ...args, amount: 100 }, sideEffects: ['rounded'] }), {
        modifies: true,
      }),
      gate('fine', () => undefined, { version: '2.1' }),
      gate('broken', () => Promise.reject(new Error(SECRET)), { onError: 'allow' }),
      gate('trial', () => ({ allow: false, error: SECRET }), { mode: 'observe' }),
    ]);
    expect(await agent.pay()).toEqual({ amount: 100, to: SECRET });
    const tool = await agent.span('execute_tool pay');
    expect(tool.events.map(({ name }) => name)).toEqual(Array(4).fill('hermes.policy.decision'));
    const decisions = tool.events.map(({ attributes }) => attributes ?? {});
    const id = decisions[0]?.['hermes.policy.decision_id'];
    expect(decisions).toMatchObject([
      {
        'hermes.policy.gate': 'cap',
        'hermes.policy.outcome': 'modify',
        'hermes.policy.kind': 'modified',
        'hermes.policy.mode': 'enforce',
      },
      { 'hermes.policy.gate': 'fine', 'hermes.policy.outcome': 'allow', 'hermes.policy.version': '2.1' },
      {
        'hermes.policy.gate': 'broken',
        'hermes.policy.outcome': 'allow',
        'hermes.policy.kind': 'hook_error',
        'hermes.policy.on_error': 'allow',
      },
      { 'hermes.policy.gate': 'trial', 'hermes.policy.outcome': 'deny', 'hermes.policy.mode': 'observe' },
    ]);
    for (const decision of decisions) {
      expect(decision['hermes.policy.decision_id']).toBe(id);
      expect(decision['hermes.policy.duration_ms']).toEqual(expect.any(Number));
    }
    expect(await agent.text()).not.toContain(SECRET);
    expect(await agent.text()).not.toContain('rounded');
  });

  it('side effects stand there where content may', async () => {
    const agent = new Agent([gate('cap', () => ({ sideEffects: ['told the bank'] }))], 'full');
    await agent.pay();
    expect((await agent.span('execute_tool pay')).events[0]?.attributes?.['hermes.policy.side_effects']).toEqual([
      'told the bank',
    ]);
  });

  it.each<[string, PolicyHook, string, string]>([
    ['denied', gate('no', () => ({ allow: false, error: 'too much' })), 'denied', 'plugin_block'],
    ['of an unknown kind of answer', gate('no', () => 7 as never), 'hook_error', 'hook_error'],
    ['too late', gate('no', () => new Promise(() => {}), { timeoutMs: 5 }), 'hook_timeout', 'hook_timeout'],
  ])('a blocked call ends as blocked, and is no error: %s', async (_name, hook, kind, blockedBy) => {
    const agent = new Agent([hook]);
    let ran = false;
    const error = await thrown(
      agent.turn((turn) =>
        turn.tool({ name: 'pay', args: { to: SECRET } }, () => {
          ran = true;
        }),
      ),
    );
    expect([ran, error?.kind]).toEqual([false, kind]);
    const tool = await agent.span('execute_tool pay');
    expect(tool.attributes).toMatchObject({ 'hermes.tool.status': 'blocked', 'hermes.tool.blocked_by': blockedBy });
    expect(tool.status.code).toBe(SpanStatusCode.UNSET);
    expect(tool.attributes['error.type']).toBeUndefined();
    expect(await agent.text()).not.toContain(SECRET);
  });

  it('an approval takes longer than any guard has, and is a span below the call', async () => {
    const agent = new Agent([gate('payments', () => ({ ask: { channels: ['slack'], title: 'Pay?' } }))]);
    agent.approvals.onRequest = ({ id }) => setTimeout(() => agent.approvals.answer(id, 'approved'), 60);
    const args = { amount: 1, to: 'good' };
    const paying = agent.pay(args);
    setTimeout(() => Object.assign(args, { to: 'evil' }), 20);
    expect(await paying).toEqual({ amount: 1, to: 'good' });
    const approval = await agent.span('approval pay');
    const tool = await agent.span('execute_tool pay');
    expect(approval.parentSpanContext?.spanId).toBe(tool.spanContext().spanId);
    expect(approval.attributes).toMatchObject({
      'hermes.approval.surface': 'slack',
      'hermes.approval.pattern_key': 'payments',
      'hermes.approval.choice': 'once',
      'hermes.approval.request_id': 'approval-1',
      'hermes.approval.request_digest': agent.approvals.requests[0]?.digest,
      'hermes.approval.decision_id': tool.events[0]?.attributes?.['hermes.policy.decision_id'],
      'hermes.approval.approver_ref': expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(agent.approvals.settled).toEqual(['approval-1']);
    expect(tool.attributes['hermes.tool.status']).toBe('ok');
  });

  it.each([
    ['rejected', 'denied', 'deny', 'plugin_block'],
    ['expired', 'expired', 'timeout', 'expired'],
  ] as const)('a call that was %s is blocked', async (state, kind, choice, blockedBy) => {
    const agent = new Agent([gate('payments', () => ({ ask: {} }))]);
    agent.approvals.onRequest = ({ id }) => agent.approvals.answer(id, state);
    expect(await thrown(agent.pay())).toMatchObject({ code: 'HO_TOOL_BLOCKED', kind });
    expect((await agent.span('approval pay')).attributes['hermes.approval.choice']).toBe(choice);
    expect((await agent.span('execute_tool pay')).attributes).toMatchObject({
      'hermes.tool.status': 'blocked',
      'hermes.tool.blocked_by': blockedBy,
    });
  });

  it('a turn that is called off while a person thinks ends as cancelled, and asks no more', async () => {
    const agent = new Agent([gate('payments', () => ({ ask: {} }))]);
    const abort = new AbortController();
    agent.approvals.onRequest = () => abort.abort();
    await agent.observer
      .turn({ sessionId: 's', signal: abort.signal }, (turn) => turn.tool({ name: 'pay', args: {} }, () => {}))
      .catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await agent.span('execute_tool pay')).attributes['hermes.tool.status']).toBe('cancelled');
    expect((await agent.span('approval pay')).attributes['hermes.approval.choice']).toBe('cancelled');
    expect(agent.approvals.approvals.get('approval-1')?.state).toBe('cancelled');
  });

  it('a child has its parent’s gates, and its parent’s platform', async () => {
    const agent = new Agent([
      gate('no', () => ({ allow: false, error: 'no' }), { matcher: { platform: 'cli', childRole: 'researcher' } }),
    ]);
    const work = (turn: InstrumentedTurn) => thrown(turn.tool({ name: 'pay', args: {} }, () => 'ran'));
    const [own, child] = await agent.turn(async (turn) => [
      await work(turn),
      await turn.subagent({ role: 'researcher' }, work),
    ]);
    expect(own).toBeUndefined();
    expect(child?.kind).toBe('denied');
  });

  it('a result that is withheld reaches nobody', async () => {
    const post: PolicyHook = {
      name: 'dlp',
      event: 'PostToolUse',
      execute: () => ({ allow: false, error: 'withheld' }),
    };
    const agent = new Agent([post]);
    expect(await agent.turn((turn) => turn.tool({ name: 'read', args: {} }, () => SECRET))).toBe('withheld');
  });
});

describe('a policy around hub.ask, in the trace', () => {
  it('a blocked call closes the same way', async () => {
    const agent = new Agent([gate('no', () => ({ allow: false, error: 'no' }))]);
    const { hub } = agent.observer;
    const ids = { session_id: 's', turn_id: 't', task_id: 'k' };
    const call = { ...ids, tool_name: 'pay', args: {}, tool_call_id: 'c' };
    hub.emit('pre_llm_call', { ...ids, model: 'm' });
    hub.emit('pre_tool_call', call);
    const { decision, kind } = await hub.ask('pre_tool_call', call);
    expect([decision, kind]).toEqual(['block', 'denied']);
    hub.emit('post_tool_call', { ...call, status: 'blocked', error_type: 'plugin_block' });
    hub.emit('on_session_end', { ...ids, completed: true });
    const tool = await agent.span('execute_tool pay');
    expect(tool.attributes['hermes.tool.status']).toBe('blocked');
    expect(tool.events).toHaveLength(1);
    expect(tool.status.code).toBe(SpanStatusCode.UNSET);
  });
});
