import { Hub } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { createPolicy } from './policy.js';

/** A hub whose policy refuses calls of helpers. */
function scene() {
  const hub = new Hub();
  const roles: (readonly string[])[] = [];
  createPolicy({
    hooks: [
      {
        name: 'no-helpers',
        event: 'PreToolUse',
        execute: ({ childRoles }) => {
          roles.push(childRoles);
          return childRoles.includes('helper') ? { allow: false, error: 'no helpers' } : undefined;
        },
      },
    ],
  }).attach(hub);
  const ask = async (more: object) => {
    const answer = await hub.ask('pre_tool_call', {
      tool_name: 't',
      args: {},
      tool_call_id: 'c',
      session_id: 'child',
      ...more,
    });
    return answer.decision;
  };
  return { hub, ask, roles };
}

const said = { child_session_id: 'child', child_subagent_id: 'sa-1', parent_session_id: 's', child_roles: ['helper'] };

describe('a question about a call of a child whose start is not recorded yet', () => {
  it('is decided as one of that child', async () => {
    const { ask, roles } = scene();
    expect(await ask({})).toBe('allow');
    expect(await ask(said)).toBe('block');
    expect(await ask({ session_id: '', task_id: 'sa-1' })).toBe('block');
    expect(roles).toEqual([[], ['helper'], ['helper']]);
  });

  it('says less than the record, whichever comes first', async () => {
    const { hub, ask } = scene();
    hub.emit('subagent_start', { child_session_id: 'child', child_role: 'helper', parent_session_id: 's' });
    expect(await ask({ ...said, child_roles: ['other'] })).toBe('block');
    const later = scene();
    expect(await later.ask({ ...said, child_roles: ['other'] })).toBe('allow');
    later.hub.emit('subagent_start', { child_session_id: 'child', child_role: 'helper', parent_session_id: 's' });
    expect(await later.ask({})).toBe('block');
  });

  it.each([{ child_roles: 7 }, { child_roles: [] }, { child_session_id: 5 }, { child_subagent_id: {} }])(
    'is decided whatever it says: %j',
    async (more) => {
      const { ask } = scene();
      expect(await ask({ ...said, ...more })).toMatch(/allow|block/);
    },
  );
});
