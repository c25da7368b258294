import { describe, expect, it } from 'vitest';
import type { Answered, PolicyHook } from '../hooks/hook.js';
import { allow, ask, call, PolicyScene } from './scene.test-support.js';

const told: Answered[] = [];
const listener = (more: Partial<PolicyHook> = {}): PolicyHook => ({
  ...allow('log', more),
  answered: async (_context, answer) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    told.push(answer);
  },
});

function sceneOf(hook: PolicyHook, state?: 'approved' | 'rejected' | 'expired'): PolicyScene {
  told.length = 0;
  const scene = new PolicyScene([hook, ask('a')]);
  if (state !== undefined) scene.approvals.onRequest = ({ id }) => scene.approvals.answer(id, state);
  return scene;
}

describe('answered', () => {
  it.each([
    ['approved', 'allow', 'allowed'],
    ['rejected', 'deny', 'denied'],
    ['expired', 'deny', 'expired'],
  ] as const)('is told that it was %s, before the call runs', async (state, outcome, kind) => {
    await sceneOf(listener(), state).decide();
    expect(told).toMatchObject([{ outcome, kind, approvalId: 'approval-1', approver: undefined }]);
    expect(told[0]?.approverRef).toEqual(state === 'expired' ? undefined : expect.stringMatching(/^[0-9a-f]{16}$/));
  });

  it('is told who decided if it asks for that', async () => {
    await sceneOf(listener({ learnsApprover: true }), 'rejected').decide();
    expect(told).toMatchObject([{ approver: 'slack:U1' }]);
  });

  it('is told of calls that were given up', async () => {
    const waits = sceneOf(listener());
    expect(await waits.policy.decide(call(), { deadlineMs: 5 })).toMatchObject({ kind: 'pending' });
    const abort = new AbortController();
    waits.approvals.onRequest = () => abort.abort();
    const options = { signal: abort.signal };
    expect(await waits.policy.decide(call({ callId: 'other' }), options)).toMatchObject({ kind: 'cancelled' });
    expect(told).toMatchObject([
      { outcome: 'deny', kind: 'pending', approvalId: 'approval-1', approverRef: undefined },
      { outcome: 'deny', kind: 'cancelled', approvalId: 'approval-2' },
    ]);
  });

  it('is told of what a remembered answer covers', async () => {
    const scene = sceneOf(listener({ learnsApprover: true }));
    const decider = { channel: 'web', id: 'root' };
    scene.approvals.remembered = { id: 'r1', approvalId: 'earlier', decider } as never;
    expect(await scene.decide()).toMatchObject({ decision: 'allow', approvalId: undefined });
    expect(told).toMatchObject([
      { outcome: 'allow', kind: 'remembered', approvalId: 'earlier', rememberedId: 'r1', approver: 'web:root' },
    ]);
  });

  it('blocks when it fails, and what was approved is in use no more', async () => {
    const full = { ...allow('log'), answered: () => Promise.reject(new Error('disk full')) };
    const scene = sceneOf(full, 'approved');
    expect(await scene.decide()).toMatchObject({ decision: 'block', kind: 'hook_error', by: ['log'] });
    expect(scene.gates()).toContain('log deny hook_error');
    expect(scene.approvals.approvals.get('approval-1')).toMatchObject({ state: 'cancelled' });
    const lenient = sceneOf({ ...full, onError: 'allow' }, 'approved');
    expect(await lenient.decide()).toMatchObject({ decision: 'allow', approvalId: 'approval-1' });
  });

  it('a person’s no stays one when it fails', async () => {
    const full = { ...allow('log'), answered: () => Promise.reject(new Error('disk full')) };
    expect(await sceneOf(full, 'rejected').decide()).toMatchObject({ decision: 'block', kind: 'denied', by: ['a'] });
  });

  it('is told where another hook could not note that a person is asked', async () => {
    told.length = 0;
    const full = { ...allow('full'), concluded: () => Promise.reject(new Error('disk full')) };
    await new PolicyScene([listener(), full, ask('a')]).decide();
    expect(told).toMatchObject([{ outcome: 'deny', kind: 'hook_error', approvalId: undefined }]);
  });

  it('is not told of calls that nobody was asked about', async () => {
    told.length = 0;
    await new PolicyScene([listener()]).decide();
    await new PolicyScene([listener(), ask('a')], { evaluation: { asks: 'allow' } }).decide();
    expect(told).toEqual([]);
  });

  it('is for PreToolUse, and its fields are what they are', () => {
    const wrong = (more: object) => () => new PolicyScene([{ ...listener(), ...more } as PolicyHook]);
    expect(wrong({ event: 'PostToolUse' })).toThrow('`answered` of hook `log` is for PreToolUse alone');
    expect(wrong({ learnsApprover: 'yes' })).toThrow('`learnsApprover` of hook `log`');
  });
});

it('a title that quotes a secret does not bring it into the trace', async () => {
  const scene = new PolicyScene([
    ask('gate', { title: '`AKIAIOSFODNN7EXAMPLE` with these arguments needs approval.' }),
  ]);
  scene.approvals.onRequest = ({ id }) => scene.approvals.answer(id, 'approved');
  await scene.decide();
  expect(scene.payloads('pre_approval_request')).toMatchObject([
    { description: expect.stringContaining('needs approval') },
  ]);
  expect(JSON.stringify(scene.reports)).not.toContain('AKIAIOSFODNN7EXAMPLE');
});
