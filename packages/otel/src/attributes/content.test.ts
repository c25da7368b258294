import { HookMeta, type Payload } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { type DumpedSpan, Replay } from '../bridge/span-dump.test-support.js';
import type { Capture } from './capture.js';

const ids = { turn_id: 't', session_id: 's' };
const SECRET = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH';
const request = { ...ids, api_request_id: 'r', model: 'm' };
const asked = {
  ...request,
  system_prompt: 'WORDS be kind',
  request: { body: { messages: [{ role: 'user', content: `WORDS ${SECRET}` }] } },
};
const call = { ...ids, tool_call_id: 'c', tool_name: 'terminal' };
const calls: [string, Payload][] = [
  ['pre_llm_call', { ...ids, user_message: 'WORDS hello' }],
  ['pre_api_request', asked],
  ['api_request_error', { ...request, error: { type: 'E', message: 'WORDS failed' } }],
  ['pre_api_request', asked],
  [
    'post_api_request',
    { ...request, finish_reason: 'stop', response: { assistant_message: { content: 'WORDS answer' } } },
  ],
  ['pre_tool_call', { ...call, args: { command: 'WORDS asked' } }],
  ['observer_policy_decision', { ...call, gate: 'g', reason: 'WORDS because', side_effects: ['WORDS logged'] }],
  ['pre_approval_request', { ...call, command: 'WORDS rm', description: 'WORDS why' }],
  [
    'post_tool_call',
    { ...call, args: { command: 'WORDS ran' }, result: 'WORDS out', status: 'error', error_message: 'WORDS broke' },
  ],
  ['subagent_start', { parent_turn_id: 't', child_session_id: 'cs', child_goal: 'WORDS goal' }],
  ['subagent_stop', { child_session_id: 'cs', child_status: 'completed', child_summary: 'WORDS summary' }],
  ['on_human_input_request', { ...ids, kind: 'clarify', request_id: 'q', prompt: 'WORDS which' }],
  ['post_llm_call', { ...ids, assistant_response: 'WORDS bye' }],
  ['on_session_end', { ...ids, completed: true, turn_exit_reason: 'error(WORDS reason)' }],
];

function spans(capture: Capture): DumpedSpan[] {
  const run = new Replay({ capture });
  for (const [i, [hook, payload]] of calls.entries()) {
    run.bridge.handle(payload, new HookMeta(hook, [i + 1, 0], 'p', i + 1));
  }
  run.bridge.closeAll();
  return run.spans;
}

const message = (role: string, content: string, more = {}) =>
  JSON.stringify([{ role, parts: [{ type: 'text', content }], ...more }]);

describe('capture none', () => {
  it('puts no content on any span, event or status', () =>
    expect(JSON.stringify(spans('none'))).not.toContain('WORDS'));
});

describe('capture full', () => {
  const all = spans('full');
  const attributes = (name: string) => all.find((span) => span.name === name)?.attributes;

  it('puts messages on turns and children', () => {
    expect(attributes('invoke_agent hermes')).toMatchObject({
      'gen_ai.input.messages': message('user', 'WORDS hello'),
      'gen_ai.output.messages': message('assistant', 'WORDS bye'),
    });
    expect(attributes('invoke_agent subagent')).toMatchObject({
      'gen_ai.input.messages': message('user', 'WORDS goal'),
      'gen_ai.output.messages': message('assistant', 'WORDS summary'),
    });
  });

  it('puts messages and system instructions on chats', () => {
    expect(attributes('chat m')).toMatchObject({
      'gen_ai.input.messages': message('user', `WORDS ${SECRET}`),
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'WORDS be kind' }]),
      'gen_ai.output.messages': message('assistant', 'WORDS answer', { finish_reason: 'stop' }),
    });
    expect(JSON.stringify(all.find((span) => span.name === 'chat m')?.events)).toContain('WORDS failed');
  });

  it('puts on tools the arguments that ran, the result, the status description and the gate’s reason and side effects', () => {
    const tool = all.find((span) => span.name === 'execute_tool terminal');
    expect(tool?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"command":"WORDS ran"}',
      'gen_ai.tool.call.result': 'WORDS out',
    });
    expect(tool?.status).toEqual({ code: 2, message: 'WORDS broke' });
    expect(tool?.events).toMatchObject([
      { attributes: { 'hermes.policy.reason': 'WORDS because', 'hermes.policy.side_effects': ['WORDS logged'] } },
    ]);
  });

  it('puts commands on approvals, prompts on human inputs, and keeps exit reasons whole', () => {
    expect(attributes('approval terminal')).toMatchObject({
      'hermes.approval.command': 'WORDS rm',
      'hermes.approval.description': 'WORDS why',
    });
    expect(attributes('human_input clarify')).toMatchObject({ 'hermes.human_input.prompt': 'WORDS which' });
    expect(attributes('invoke_agent hermes')?.['hermes.turn.exit_reason']).toBe('error(WORDS reason)');
  });
});

describe('capture redacted', () => {
  const all = JSON.stringify(spans('redacted'));

  it('masks secrets and keeps the rest', () => {
    expect(all).not.toContain(SECRET);
    expect(all).toContain('WORDS hello');
    expect(all).toContain('WORDS answer');
  });
});

describe('the budget of a span', () => {
  it('goes to the answer, the newest messages and a part of the system prompt, as valid JSON', () => {
    const long = 'x'.repeat(400_000);
    const run = new Replay({ capture: 'full' });
    const messages = Array.from({ length: 20 }, (_, i) => ({ role: 'user', content: `${i} ${'y'.repeat(40_000)}` }));
    const all: [string, Payload][] = [
      ['pre_llm_call', ids],
      ['pre_api_request', { ...request, system_prompt: long, request: { body: { messages } } }],
      ['post_api_request', { ...request, response: { assistant_message: { content: long } } }],
    ];
    for (const [i, [hook, payload]] of all.entries()) run.bridge.handle(payload, new HookMeta(hook, [100 + i, 0], 'p'));
    run.bridge.closeAll();
    const chat = run.spans.find(({ name }) => name.startsWith('chat'));
    const texts = ['system_instructions', 'input.messages', 'output.messages'].map(
      (name) => chat?.attributes[`gen_ai.${name}`] as string,
    );
    const [system = '', input = '', output = ''] = texts;
    expect(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThan(256 * 1024 * 1.05);
    expect([system.length, output.length].map((length) => Math.round(length / 1024))).toEqual([32, 64]);
    const kept = (JSON.parse(input) as { parts: { content?: string }[] }[]).map(({ parts }) => parts[0]?.content);
    expect(kept.at(-1)).toMatch(/^19 y{40000}$/);
    expect(kept.some((content) => content?.startsWith('0 '))).toBe(false);
    for (const text of texts) JSON.parse(text);
  });
});
