import { Hub } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { Lineage } from './lineage.js';
import { allow, call, deny, PolicyScene } from './scene.test-support.js';

describe('names and ids without an end', () => {
  const long = 'x'.repeat(4097);
  it.each(['tool', 'callId', 'sessionId', 'turnId', 'taskId', 'agent', 'platform', 'profile', 'user'])(
    'block the call: %s',
    async (field) => {
      const scene = new PolicyScene([allow('a')]);
      expect(await scene.policy.decide(call({ [field]: long }))).toMatchObject({
        decision: 'block',
        kind: 'hook_error',
        reason: `The policy cannot read the call: \`${field}\` has more than 4096 characters.`,
      });
      expect(await scene.policy.decide(call({ [field]: long.slice(1) }))).toMatchObject({ decision: 'allow' });
    },
  );

  it('are no way around a policy', async () => {
    const hub = new Hub();
    const { policy } = new PolicyScene([deny('no', { matcher: { tool: 'x*' } })]);
    policy.attach(hub);
    const ask = (tool_name: string) => hub.ask('pre_tool_call', { tool_name, args: {}, tool_call_id: 'c' });
    expect(await ask(long)).toMatchObject({ decision: 'block' });
    expect(await policy.sessionStart({ sessionId: long })).toBeUndefined();
  });
});

describe('children without an end', () => {
  it('are forgotten, and whoever is not known then may be one of them', () => {
    const lineage = new Lineage();
    lineage.started({ child_session_id: 'first', child_role: 'helper' });
    expect(lineage.standing('first', '').childRoles).toEqual(['helper']);
    expect(lineage.standing('root', '').childRoles).toEqual([]);
    for (let i = 0; i < 60_000; i++) {
      lineage.started({ child_session_id: `s${i}`, child_subagent_id: `a${i}`, child_role: 'helper' });
    }
    expect(lineage.standing('first', '').childRoles).toBeUndefined();
    expect(lineage.standing('s59999', '').childRoles).toEqual(['helper']);
  });

  it('that end are forgotten under both of their names, in time', () => {
    const lineage = new Lineage();
    for (let i = 0; i < 120_000; i++) {
      lineage.started({ child_session_id: `s${i}`, child_subagent_id: `a${i}`, child_role: 'helper' });
      lineage.stopped({ child_session_id: `s${i}` });
    }
    expect(lineage.standing('', 'a0').childRoles).toEqual([]);
    expect(lineage.standing('', 'a119999').childRoles).toEqual(['helper']);
  });
});
