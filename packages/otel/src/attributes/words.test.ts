import { HookMeta, type Payload } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { Replay } from '../bridge/span-dump.test-support.js';
import type { Capture } from './capture.js';
import { CONTENT_ATTRIBUTES, WORD_ATTRIBUTES } from './content-attributes.js';

const SECRET = `sk-${'a1B2'.repeat(10)}`;
const ids = { turn_id: 't', session_id: 's', task_id: 'k' };

/** What the word attributes of all spans and events hold when each field that is a word holds this. */
function words(text: string, capture: Capture): Record<string, unknown> {
  const request = { ...ids, api_request_id: 'r', model: 'm', provider: 'p' };
  const tool = { ...ids, tool_call_id: 'c', tool_name: 'terminal' };
  const question = { ...ids, tool_call_id: 'c', surface: 'cli', pattern_key: 'recursive delete' };
  const child = { parent_turn_id: 't', parent_session_id: 's', child_session_id: 'cs', child_subagent_id: 'a' };
  const calls: [string, Payload][] = [
    ['pre_llm_call', { ...ids, model: 'm' }],
    ['pre_api_request', request],
    ['api_request_error', { ...request, reason: text, error: { type: text, message: text } }],
    ['pre_api_request', { ...request, retry_count: 1 }],
    ['post_api_request', { ...request, finish_reason: text }],
    ['pre_tool_call', tool],
    [
      'observer_policy_decision',
      { ...tool, gate: 'g', outcome: text, kind: text, mode: text, on_error: text, decision_id: 'd' },
    ],
    ['pre_approval_request', question],
    ['post_approval_response', { ...question, choice: text, decided_by: text }],
    ['post_tool_call', { ...tool, status: 'blocked', error_type: text }],
    ['subagent_start', child],
    ['subagent_stop', { ...child, child_status: text }],
    ['on_human_input_request', { ...ids, kind: 'clarify', request_id: 'q' }],
    ['on_human_input_resolved', { ...ids, kind: 'clarify', request_id: 'q', outcome: text }],
    ['pre_tool_call', { ...tool, tool_call_id: 'e' }],
    ['post_tool_call', { ...tool, tool_call_id: 'e', status: 'error', error_type: text }],
    ['on_session_end', { ...ids, completed: true }],
  ];
  const run = new Replay({ capture });
  for (const [i, [hook, payload]] of calls.entries()) {
    run.bridge.handle(payload, new HookMeta(hook, [i + 1, 0], 'p', i + 1, undefined, undefined));
  }
  run.bridge.closeAll();
  const found = run.spans
    .flatMap(({ attributes, events }) => [
      attributes,
      ...(events as { attributes?: object }[]).map((event) => event.attributes ?? {}),
    ])
    .flatMap((attributes) => Object.entries(attributes as Record<string, unknown>))
    .filter(([name]) => WORD_ATTRIBUTES.has(name))
    .map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]);
  return Object.fromEntries(found) as Record<string, unknown>;
}

const all = (value: string) => Object.fromEntries([...WORD_ATTRIBUTES].map((name) => [name, value]));

describe('statuses, choices, outcomes, reasons and types', () => {
  it.each(['none', 'redacted', 'full'] as const)('that are words stay with capture %s', (capture) =>
    expect(words('max_tokens', capture)).toEqual(all('max_tokens')),
  );

  it('that are texts are content', () => {
    const text = `ask Eve, key ${SECRET}`;
    expect(words(text, 'none')).toEqual(all('_OTHER'));
    expect(words(text, 'full')).toEqual(all(text));
    const redacted = words(text, 'redacted');
    expect(Object.keys(redacted).sort()).toEqual([...WORD_ATTRIBUTES].sort());
    for (const value of Object.values(redacted)) {
      expect(value).toContain('ask Eve');
      expect(value).not.toContain(SECRET);
    }
  });
});

it('the stack of an exception is content, as its message is', () => {
  expect(CONTENT_ATTRIBUTES.has('exception.message')).toBe(true);
  expect(CONTENT_ATTRIBUTES.has('exception.stacktrace')).toBe(true);
});
