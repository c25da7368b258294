import { describe, expect, it } from 'vitest';
import { SpanMapper } from '../mapping/span-mapper.js';
import { chatWith, recordedSpans, recordingNames, spanWith, texts } from '../mapping/spans.test-support.js';
import { langfuseProfile } from './langfuse-profile.js';

const mapped = (
  name: string,
  options: Parameters<typeof langfuseProfile>[0] = {},
  capture: 'none' | 'full' = 'full',
) => {
  const mapper = new SpanMapper([langfuseProfile(options)]);
  return recordedSpans(name, capture).map((span) => mapper.map(span));
};

describe('what was not let through', () => {
  it.each([
    ['0.22.2/d-tool-blocked-by-plugin', 'execute_tool terminal', 'blocked by plugin_block'],
    ['0.22.2/p2-approval-deny-tui', 'approval terminal', 'denied'],
    ['0.22.2/p10-approval-timeout-cli', 'approval terminal', 'timeout'],
    ['0.22.2/j4-interrupt-during-api-call-tui', 'invoke_agent hermes', 'interrupted: interrupted_during_api_call'],
  ])('warns and says why: %s', (name, span, message) => {
    const found = mapped(name).find((each) => each.name === span && each.attributes['langfuse.observation.level']);
    expect(found?.attributes).toMatchObject({
      'langfuse.observation.level': 'WARNING',
      'langfuse.observation.status_message': message,
    });
    expect(found?.status.code).toBe(0);
  });

  it('names the gate of a policy and its reason', () => {
    const events = [
      {
        name: 'hermes.policy.decision',
        time: [1_700_000_000, 0] as [number, number],
        attributes: {
          'hermes.policy.gate': 'payments',
          'hermes.policy.outcome': 'deny',
          'hermes.policy.mode': 'enforce',
          'hermes.policy.reason': 'too much',
        },
      },
    ];
    const tool = spanWith(
      { 'gen_ai.operation.name': 'execute_tool', 'hermes.tool.status': 'blocked', 'hermes.tool.blocked_by': 'policy' },
      { events },
    );
    const { attributes } = new SpanMapper([langfuseProfile()]).map(tool);
    expect(attributes['langfuse.observation.status_message']).toBe('blocked by payments: too much');
    expect(JSON.parse(String(attributes['langfuse.observation.metadata.policy_decisions']))).toEqual([
      { gate: 'payments', outcome: 'deny', mode: 'enforce', reason: 'too much' },
    ]);
  });
});

it('an error is one, with its type', () => {
  const failed = mapped('0.22.2/g3-non-retryable-400', {}, 'none').filter(({ status }) => status.code === 2);
  expect(failed.length).toBeGreaterThan(0);
  for (const { attributes } of failed) expect(attributes['langfuse.observation.level']).toBe('ERROR');
  expect(failed[0]?.attributes['langfuse.observation.status_message']).toMatch(/^BadRequestError 400/);
});

it('options stand on roots, the environment and release on every span', () => {
  const spans = mapped('0.22.2/k-delegate-one-child-sync', {
    environment: 'staging',
    release: 'r1',
    tags: ['a', 'b'],
    userId: 'u1',
    metadata: { team: 'x' },
  });
  const roots = spans.filter(({ parentSpanContext }) => parentSpanContext === undefined);
  expect(roots).toHaveLength(1);
  expect(roots[0]?.attributes).toMatchObject({
    'langfuse.trace.tags': ['a', 'b'],
    'user.id': 'u1',
    'langfuse.trace.metadata.team': 'x',
    'langfuse.trace.name': 'hermes',
  });
  for (const span of spans) {
    expect(span.attributes).toMatchObject({ 'langfuse.environment': 'staging', 'langfuse.release': 'r1' });
    if (span === roots[0]) continue;
    // Langfuse takes these of any span for the trace.
    for (const name of Object.keys(span.attributes))
      expect(name).not.toMatch(/^(langfuse\.trace|session\.|user\.|gen_ai\.conversation)/);
  }
});

it('a trace has the session of its root, whatever sessions child agents have', () => {
  for (const name of recordingNames()) {
    for (const { attributes, parentSpanContext } of mapped(name, {}, 'none')) {
      const isRoot = parentSpanContext === undefined || attributes['hermes.turn.kind'] !== undefined;
      expect(attributes['session.id'] !== undefined).toBe(isRoot && attributes['gen_ai.conversation.id'] !== undefined);
      if (!isRoot) expect(attributes['langfuse.observation.metadata.session_id']).toEqual(expect.any(String));
    }
  }
});

it('usage stands on generations alone, and is what the provider said', () => {
  const total = { wanted: 0, told: 0 };
  for (const name of recordingNames()) {
    const source = recordedSpans(name, 'none');
    const mapper = new SpanMapper([langfuseProfile()]);
    for (const span of source) {
      const { attributes } = mapper.map(span);
      const details = attributes['langfuse.observation.usage_details'];
      if (attributes['langfuse.observation.type'] !== 'generation') expect(details).toBeUndefined();
      const { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output } = span.attributes;
      total.wanted += Number(input ?? 0) + Number(output ?? 0);
      if (details === undefined) continue;
      const { total: told, ...parts } = JSON.parse(String(details)) as Record<string, number>;
      expect(Object.values(parts).reduce((sum, value) => sum + value, 0)).toBe(told);
      total.told += told ?? 0;
    }
  }
  expect(total.told).toBe(total.wanted);
  expect(total.told).toBeGreaterThan(500_000);
});

describe('the first part of an answer', () => {
  const ttft = { 'gen_ai.response.time_to_first_chunk': 0.25 };
  const start = (attributes: object) =>
    new SpanMapper([langfuseProfile()]).map(chatWith({ ...ttft, ...attributes })).attributes[
      'langfuse.observation.completion_start_time'
    ];

  it('came so long after the start', () => expect(start({})).toBe('2023-11-14T22:13:20.250Z'));

  it('came so long after the start of the attempt that was answered', () => {
    // Ended 2 s after the start, and took 1.5 s of that.
    expect(start({ 'hermes.api.attempt.duration_ms': 1500 })).toBe('2023-11-14T22:13:20.750Z');
  });
});

it('messages are those of chat completions, and a turn is its text', () => {
  const messages = JSON.stringify([
    { role: 'user', parts: [{ type: 'text', content: 'hi' }] },
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'done' }] },
  ]);
  const mapper = new SpanMapper([langfuseProfile()]);
  const chat = mapper.map(
    chatWith({
      'gen_ai.input.messages': messages,
      'gen_ai.system_instructions': '[{"type":"text","content":"be kind"}]',
    }),
  );
  expect(JSON.parse(String(chat.attributes['langfuse.observation.input']))).toEqual([
    { role: 'system', content: 'be kind' },
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
  ]);
  const turn = mapper.map(
    spanWith({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.input.messages': texts(['user', 'hi']) }),
  );
  expect(turn.attributes['langfuse.observation.input']).toBe('hi');
});

it('nothing of content is there where none was captured', () => {
  for (const name of recordingNames().filter((_, i) => i % 5 === 0)) {
    for (const { attributes } of mapped(name, {}, 'none')) {
      expect(attributes['langfuse.observation.input']).toBeUndefined();
    }
  }
});
