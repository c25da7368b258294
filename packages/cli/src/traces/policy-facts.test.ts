import { expect, it } from 'vitest';
import { whoOf, whyBlocked } from './span-facts.js';
import { SPAN_KIND } from './span-kind.js';
import type { SpanSource } from './span-source.js';

const decision = (gate: string, outcome: string, kind: string, mode = 'enforce', reason?: string) => ({
  name: 'hermes.policy.decision',
  attributes: {
    'hermes.policy.gate': gate,
    'hermes.policy.outcome': outcome,
    'hermes.policy.kind': kind,
    'hermes.policy.mode': mode,
    ...(reason !== undefined && { 'hermes.policy.reason': reason }),
  },
});

const blocked = (...events: ReturnType<typeof decision>[]) =>
  ({
    attributes: { 'hermes.tool.status': 'blocked', 'hermes.tool.blocked_by': 'policy_block' },
    events,
    status: { code: 0 },
  }) as unknown as SpanSource;

it.each([
  [[decision('SpendLimit', 'deny', 'denied')], 'SpendLimit', undefined],
  [[decision('SpendLimit', 'deny', 'denied', 'enforce', 'above 1000')], 'SpendLimit', 'above 1000'],
  // What only observed, allowed or asked has not blocked.
  [
    [
      decision('Try', 'deny', 'denied', 'observe'),
      decision('Gate', 'ask', 'asked'),
      decision('shop:approval', 'deny', 'expired'),
    ],
    'a question to a person',
    'nobody answered in time',
  ],
  [[decision('Gate', 'ask', 'asked'), decision('shop:approval', 'deny', 'denied')], 'a person', undefined],
  // A no says more than that another one failed.
  [[decision('broken', 'deny', 'hook_error'), decision('guard', 'deny', 'denied')], 'guard', undefined],
  [[decision('broken', 'deny', 'hook_timeout')], 'broken', 'it could not decide in time'],
])('who blocked, and why: %#', (events, who, why) => {
  const source = blocked(...events);
  expect([whoOf(source, SPAN_KIND.tool), whyBlocked(source)]).toEqual([who, why]);
});

it('without a policy it is who the agent names', () => {
  expect(whoOf(blocked(), SPAN_KIND.tool)).toBe('a policy');
});
