import { expect, it } from 'vitest';
import { whoBlocked } from './who.js';

it('says who blocked a call in words', () => {
  const said = [
    'plugin_block',
    'guardrail_block',
    'tool_scope_block',
    'aux_llm',
    'a person',
    'org_policy_blocked',
    'red_team',
    'policy:approval',
  ];
  expect(said.map(whoBlocked)).toEqual([
    'a plugin',
    'a guardrail',
    'the tools that this agent may use',
    'a model',
    'a person',
    'an org policy',
    'red team',
    'a question to a person',
  ]);
});
