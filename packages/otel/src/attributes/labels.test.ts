import type { HookRecord } from '@hermes-observer/core';
import { recordJsonSchema } from '@hermes-observer/core/schema';
import { describe, expect, it } from 'vitest';
import { type DumpedSpan, replay } from '../bridge/span-dump.test-support.js';
import { narrowing } from '../observer/narrow-capture.js';
import { nameLabel, phraseLabel, typeLabel } from './labels.js';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const hooks = recordJsonSchema().$defs as Readonly<Record<string, Schema>>;

/** Each with the part that may not be seen. None is a real one. */
const SECRETS: readonly (readonly [kind: string, text: string, part: string])[] = [
  ['an API key', `sk-ant-${'a1B2'.repeat(8)}`, 'a1B2a1B2'],
  ['a bearer token', `Bearer ${'q7w8e9'.repeat(5)}`, 'q7w8e9q7w8e9'],
  ['an e-mail address', 'eve.adams@mail.example', 'eve.adams'],
  ['the id of an AWS key', `AKIA${'Q3Z7'.repeat(4)}`, 'Q3Z7Q3Z7'],
];

/** A value of this shape with the text in each place for a text but ids. */
function planted(schema: Schema, text: string): unknown {
  if (schema.anyOf !== undefined) {
    const values = schema.anyOf.map((branch) => planted(branch, text));
    return values.find((value) => typeof value === 'string') ?? values.find((value) => value !== undefined);
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'string') return schema.description?.includes("Opaque; '' means absent") ? undefined : text;
  if (type === 'array') return schema.items === undefined ? [text] : [planted(schema.items, text)];
  if (type !== 'object') return undefined;
  return plantedFields(schema, text);
}

function plantedFields({ properties = {} }: Schema, text: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const value = planted({ ...schema, description: schema.description ?? '' }, text);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

const ids = { session_id: 's', turn_id: 't', task_id: 'k' };
const child = { parent_session_id: 's', parent_turn_id: 't', child_session_id: 'c', child_subagent_id: 'a' };
const inChild = { session_id: 'c', turn_id: 'u', task_id: 'a' };

/** Calls of one turn that make a span or event of each kind; every other hook of the contract goes between. */
function scene(): (readonly [hook: string, fixed: Record<string, unknown>])[] {
  const request = { ...ids, api_request_id: 'r' };
  const tool = { ...ids, tool_call_id: 'x' };
  const usual: [string, Record<string, unknown>][] = [
    ['observer_hello', {}],
    ['on_session_start', { session_id: 's' }],
    ['pre_llm_call', { ...ids, parent_session_id: '' }],
    ['pre_api_request', request],
    ['api_request_error', request],
    ['pre_api_request', { ...request, retry_count: 1 }],
    ['post_api_request', request],
    ['pre_api_request', { ...request, api_request_id: 'r2' }],
    ['api_request_error', { ...request, api_request_id: 'r2' }],
    ['pre_auxiliary_call', { ...request, api_request_id: 'aux' }],
    ['post_auxiliary_call', { ...request, api_request_id: 'aux', error: undefined, error_type: undefined }],
    ['pre_tool_call', tool],
    ['observer_policy_decision', tool],
    ['pre_approval_request', tool],
    ['post_approval_response', tool],
    ['post_tool_call', { ...tool, status: 'error' }],
    ['pre_approval_request', { ...ids, tool_call_id: '' }],
    ['post_approval_response', { ...ids, tool_call_id: '' }],
    ['pre_tool_call', { ...ids, tool_call_id: 'y' }],
    ['post_tool_call', { ...ids, tool_call_id: 'y', status: 'blocked' }],
    ['on_human_input_request', { ...ids, request_id: 'q' }],
    ['on_human_input_resolved', { ...ids, request_id: 'q' }],
    ['subagent_start', child],
    ['pre_llm_call', { ...inChild, parent_session_id: 's' }],
    ['on_session_end', { ...inChild, completed: true }],
    ['subagent_stop', child],
  ];
  const named = new Set([...usual.map(([hook]) => hook), 'observer_closed', 'on_session_finalize', 'on_session_reset']);
  const others = Object.keys(hooks).filter((hook) => !named.has(hook) && hook !== 'post_llm_call');
  return [
    ...usual,
    ...others.map((hook) => [hook, ids] as const),
    ['post_llm_call', ids],
    ['on_session_end', { ...ids, failed: true }],
    ['on_session_finalize', { session_id: 's' }],
    ['on_session_reset', { session_id: 's2', old_session_id: 's' }],
    ['observer_closed', { scope: 'all' }],
  ];
}

function records(text: string): HookRecord[] {
  return scene().map(([hook, fixed], i) => ({
    hook,
    time_unix_nano: `${1_764_450_000_000_000_000n + BigInt(i) * 1_000_000n}`,
    seq: i + 1,
    producer: 'p',
    profile: text,
    payload: { ...plantedFields(hooks[hook] ?? {}, text), ...fixed },
  }));
}

const kinds = (spans: readonly DumpedSpan[]) => [...new Set(spans.map(({ name }) => name.split(' ')[0]))].sort();

describe.each(SECRETS)('%s in every field for a word or a name, of every hook', (_, text, part) => {
  it.each(['none', 'redacted'] as const)('comes out nowhere with capture %s', (capture) => {
    const { spans } = replay(records(text), { capture });
    expect(kinds(spans)).toEqual(['approval', 'chat', 'execute_tool', 'human_input', 'invoke_agent']);
    expect(JSON.stringify(spans)).not.toContain(part);
  });

  it('comes out with capture full, so the test can fail', () => {
    const { spans } = replay(records(text), { capture: 'full' });
    const places = spans.flatMap(({ name, attributes, events }) => [
      ...(name.includes(part) ? ['name'] : []),
      ...Object.entries({ ...attributes, events }).flatMap(([key, value]) =>
        JSON.stringify(value).includes(part) ? [key] : [],
      ),
    ]);
    expect([...new Set(places)].length).toBeGreaterThan(25);
  });

  it.each(['none', 'redacted'] as const)('comes out of no exporter that is narrowed to %s', (capture) => {
    const full = replay(records(text), { capture: 'full' }).processor.ended;
    const seen = full.map(narrowing(capture)).map(({ name, attributes, events, status }) => ({
      name,
      attributes,
      events,
      status,
    }));
    expect(seen.length).toBeGreaterThan(8);
    expect(JSON.stringify(seen)).not.toContain(part);
  });
});

describe('a name with content off', () => {
  it.each([
    'default',
    'anthropic/claude-opus-4.5',
    'claude-3-5-sonnet-v2@20241022',
    '@cf/meta/llama-3.1-8b-instruct',
    'accounts/fireworks/models/llama-v3p1-405b-instruct',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'mcp__github__create_pull_request',
    'transport:telegram',
    'メイン',
  ])('stays: %s', (name) => expect(nameLabel(name, 'none')).toBe(name));

  it.each(['recursive delete (flags after operands)', 'pipe remote content to PowerShell (iwr | iex)', 'Triage agent'])(
    'stays, of several words, if it is that of a rule or a role: %s',
    (name) => {
      expect(phraseLabel(name, 'none')).toBe(name);
      expect(nameLabel(name, 'none')).toBe('_OTHER');
    },
  );

  it.each([
    'two\nlines',
    'x'.repeat(129),
    '{"a": 1}',
    'the `rm` command',
    'password=hunter2hunter2',
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    `${'Zx81kQm4'.repeat(4)}`,
  ])('is _OTHER: %s', (name) => {
    expect(nameLabel(name, 'none')).toBe('_OTHER');
    expect(phraseLabel(name, 'none')).toBe('_OTHER');
  });

  it('is absent when there is none', () => {
    for (const value of ['', null, undefined, 7]) expect(nameLabel(value, 'none')).toBeUndefined();
  });
});

describe('a label with content redacted', () => {
  it('keeps what is around the secret', () => {
    expect(nameLabel('model of eve.adams@mail.example', 'redacted')).toBe('model of [redacted:email]');
    expect(typeLabel(`E_sk-${'a1B2'.repeat(8)}`, 'redacted')).toMatch(/^E_\[redacted/);
  });

  it('is the same whichever capture asked first', () => {
    const text = 'desk of eve.adams@mail.example';
    expect(nameLabel(text, 'full')).toBe(text);
    expect(nameLabel(text, 'redacted')).toBe('desk of [redacted:email]');
    expect(nameLabel(text, 'none')).toBe('_OTHER');
    expect(nameLabel(text, 'full')).toBe(text);
  });
});
