import { expect, it } from 'vitest';
import { whoWords } from './who-words.js';

it.each([
  ['plugin_block', 'a plugin'],
  ['guardrail_block', 'a guardrail'],
  ['tool_scope_block', 'the tools that this agent may use'],
  ['policy_block', 'a policy'],
  ['org_policy_blocked', 'an org policy'],
  ['aux_llm', 'a model'],
  ['policy:approval', 'a question to a person'],
  ['SpendLimit', 'SpendLimit'],
  ['red_team', 'red team'],
])('says %s in words, and those again', (by, words) => {
  expect([whoWords(by), whoWords(words)]).toEqual([words, words]);
});
