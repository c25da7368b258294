import type { ReadableSpan } from '@hermes-observer/otel';
import type { Attributes } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { profilesOf } from './exporter/named-profiles.js';
import { SpanMapper } from './mapping/span-mapper.js';
import { spanWith } from './mapping/spans.test-support.js';

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const deepMessages = (levels: number) =>
  `[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":${deep(levels)},"arguments":${deep(levels)}},{"type":"tool_call_response","id":"c","response":${deep(levels)}},{"type":"text","content":${deep(levels)}},{"type":"x","y":${deep(levels)}}]},${deep(levels)}]`;

const CONTENT = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'hermes.approval.command',
  'hermes.human_input.prompt',
];
const NAMES = [
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.tool.name',
  'gen_ai.agent.name',
  'gen_ai.conversation.id',
  'hermes.turn.outcome',
  'hermes.tool.status',
  'hermes.approval.choice',
  'gen_ai.response.finish_reasons',
  'gen_ai.request.x',
];
const NUMBERS = [
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.response.time_to_first_chunk',
  'hermes.api.attempt_duration_ms',
  'hermes.cost.usd',
  'http.response.status_code',
];
const ROLES: readonly Attributes[] = [
  { 'gen_ai.operation.name': 'chat' },
  { 'gen_ai.operation.name': 'invoke_agent', 'hermes.turn.kind': 'user' },
  { 'gen_ai.operation.name': 'execute_tool', 'hermes.tool.status': 'blocked' },
  { 'gen_ai.operation.name': 'embeddings' },
  { 'hermes.turn.id': 't' },
  {},
];
const VALUES: readonly unknown[] = [
  'constructor',
  '__proto__',
  'toString',
  '',
  '\ud800',
  deep(100_000),
  deepMessages(20_000),
  '[null,1,"x",{"role":1,"parts":{}},{"role":"user","parts":[null,1,{"type":"text"},{"type":"uri","modality":"image"}]}]',
  '{"__proto__":{"a":1},"constructor":1}',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -1,
  1e308,
  1.5,
  true,
  [],
  [null],
  ['a', 'b'],
  null,
  undefined,
  {},
  10n,
];
const NAMED = ['approval', 'human_input x', '__proto__', ''];

const isValue = (value: unknown) =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => ['string', 'number', 'boolean'].includes(typeof item)));

const mappers = (['openinference', 'langfuse', 'genai/0.1.0', 'genai/both'] as const).map(
  (name) => [name, new SpanMapper(profilesOf([name]))] as const,
);

function expectMapped(span: ReadableSpan, what: string): void {
  for (const [profile, mapper] of mappers) {
    let mapped: ReadableSpan;
    try {
      mapped = mapper.map(span);
    } catch (error) {
      throw new Error(`${profile}: ${what}: ${String(error).slice(0, 200)}`);
    }
    for (const name of Object.keys(mapped.attributes)) {
      if (Object.hasOwn(span.attributes, name) && Object.is(mapped.attributes[name], span.attributes[name])) continue;
      const value = mapped.attributes[name];
      if (!isValue(value)) throw new Error(`${profile}: ${what}: ${name} is ${typeof value}`);
      if (typeof value === 'number' && !Number.isFinite(value))
        throw new Error(`${profile}: ${what}: ${name} ${value}`);
    }
  }
}

describe.each(VALUES.map((value) => [String(value).slice(0, 30), value] as const))('the value %s', (label, value) => {
  it('anywhere on a span keeps no profile from reading it', () => {
    for (const role of ROLES) {
      for (const name of ['a span', ...NAMED]) {
        for (const list of [CONTENT, NAMES, NUMBERS]) {
          const all = Object.fromEntries(list.map((each) => [each, value]));
          expectMapped(spanWith({ ...(all as Attributes), ...role }, { name }), `${JSON.stringify(role)} ${label}`);
        }
        const every = Object.fromEntries([...CONTENT, ...NAMES, ...NUMBERS].map((each) => [each, value]));
        expectMapped(spanWith({ ...role, ...(every as Attributes) }, { name }), `all ${label}`);
      }
    }
  });
});

it('times of every kind keep no profile from reading a span', () => {
  for (const time of [Number.NaN, Number.POSITIVE_INFINITY, -1e20, 1e20, 8.7e12]) {
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.response.time_to_first_chunk': 1 };
    expectMapped(spanWith(attributes, { startTime: [time, 0], endTime: [time, 0] }), `time ${time}`);
    expectMapped(spanWith({ ...attributes, 'gen_ai.response.time_to_first_chunk': time }), `first chunk ${time}`);
  }
});

it('a span of 10000 attributes, and messages of 10000 parts', () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`a${i}`, i]));
  const parts = Array.from({ length: 10_000 }, () => ({ type: 'text', content: 'x' }));
  const messages = JSON.stringify([{ role: 'user', parts }]);
  const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': messages };
  expectMapped(spanWith({ ...chat, ...many }), 'many');
  const mapped = new SpanMapper(profilesOf(['openinference'])).map(spanWith(chat));
  expect(Object.keys(mapped.attributes).length).toBeLessThanOrEqual(128);
  expect(mapped.attributes['hermes.export.left_out_attributes']).toBeGreaterThan(19_000);
});

it('an attribute named __proto__ is none, and changes nothing', () => {
  const own = JSON.parse('{"gen_ai.operation.name":"chat","__proto__":["a","b"]}') as Attributes;
  for (const [, mapper] of mappers) {
    const { attributes } = mapper.map(spanWith(own));
    expect(Array.isArray(Object.getPrototypeOf(attributes))).toBe(false);
    const names = [];
    for (const name in attributes) names.push(name);
    expect(names).not.toContain('0');
  }
});
