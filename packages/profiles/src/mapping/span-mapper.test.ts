import { describe, expect, it } from 'vitest';
import { profilesOf } from '../exporter/named-profiles.js';
import { openInferenceProfile } from '../openinference/openinference-profile.js';
import { SpanMapper } from './span-mapper.js';
import { chatWith, recordedSpans, recordingNames, spanWith, texts } from './spans.test-support.js';

const map = (names: Parameters<typeof profilesOf>[0], maxAttributes?: number) => {
  const mapper = new SpanMapper(profilesOf(names, {}), { maxAttributes });
  return mapper.map.bind(mapper);
};
const LEFT_OUT = 'hermes.export.left_out_attributes';
const MANY = Array.from({ length: 200 }, (_, i) => [i % 2 === 0 ? 'user' : 'assistant', `text ${i}`] as const);

describe('several profiles at once', () => {
  const span = chatWith({ 'gen_ai.input.messages': texts(['user', 'hello']), 'gen_ai.usage.input_tokens': 3 });

  it('give the names of all, and move what another name carries whole', () => {
    const { attributes } = map(['openinference', 'langfuse'])(span);
    expect(attributes).toMatchObject({
      'openinference.span.kind': 'LLM',
      'langfuse.observation.type': 'generation',
      'input.value': texts(['user', 'hello']),
      'langfuse.observation.input': JSON.stringify([{ role: 'user', content: 'hello' }]),
      'gen_ai.usage.input_tokens': 3,
    });
    expect(attributes).not.toHaveProperty('gen_ai.input.messages');
  });

  it('leave everything where genai is among them', () => {
    const { attributes } = map(['langfuse', 'genai/1.41.1'])(span);
    expect(attributes).toMatchObject({ ...span.attributes, 'langfuse.observation.type': 'generation' });
  });

  it('leave the span that they are given as it was', () => {
    const before = structuredClone(span.attributes);
    map(['openinference', 'langfuse'])(span);
    expect(span.attributes).toEqual(before);
  });
});

it('what an application has put on by the same name stays', () => {
  const span = chatWith({
    'llm.model_name': 'of the application',
    'session.id': 's-9',
    'gen_ai.conversation.id': 's-1',
  });
  expect(map(['openinference'])(span).attributes).toMatchObject({
    'llm.model_name': 'of the application',
    'session.id': 's-9',
  });
});

it('spans of others are left alone, but for what every span has', () => {
  const span = spanWith({ 'http.route': '/' });
  expect(map(['openinference', 'langfuse'])(span).attributes).toEqual({ 'http.route': '/' });
  const [profile] = profilesOf(['langfuse']);
  expect(profile).toBeDefined();
});

it('spans of one resource keep one resource, and the project is on it', () => {
  const mapper = new SpanMapper([openInferenceProfile({ project: 'p' })]);
  const spans = recordedSpans('0.22.2/b-two-sequential-tools', 'none').map((span) => mapper.map(span));
  expect(new Set(spans.map(({ resource }) => resource)).size).toBe(1);
  expect(spans[0]?.resource.attributes).toEqual({ 'service.name': 'hermes-agent', 'openinference.project.name': 'p' });
});

describe('a span that may have no more attributes', () => {
  it('has the answer, the system prompt and the newest messages, and says how many are left out', () => {
    const span = chatWith({
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'be kind' }]),
      'gen_ai.input.messages': texts(...MANY),
      'gen_ai.output.messages': texts(['assistant', 'the answer']),
    });
    const mapper = new SpanMapper(profilesOf(['openinference']));
    const { attributes, droppedAttributesCount } = mapper.map(span);
    const names = Object.keys(attributes);
    // A message takes two, and is whole or not there.
    expect(names).toHaveLength(127);
    expect(attributes['llm.output_messages.0.message.content']).toBe('the answer');
    expect(attributes['llm.input_messages.0.message.content']).toBe('be kind');
    const kept = names.filter((name) => /^llm\.input_messages\.\d+\.message\.content$/.test(name)).length;
    // Numbered without gaps, and the last is the newest.
    expect(attributes[`llm.input_messages.${kept - 1}.message.content`]).toBe('text 199');
    expect(attributes['llm.input_messages.1.message.content']).toBe(`text ${200 - (kept - 1)}`);
    const roles = names.filter((name) => /^llm\.input_messages\.\d+\.message\.role$/.test(name)).length;
    expect(roles).toBe(kept);
    // 200 messages, a system prompt and an answer take two each.
    const flat = names.filter((name) => name.includes('_messages.')).length;
    expect(attributes[LEFT_OUT]).toBe(202 * 2 - flat);
    expect(droppedAttributesCount).toBe(202 * 2 - flat);
    expect(mapper.leftOutAttributes).toBe(202 * 2 - flat);
    // All of them are still there as one text.
    expect(JSON.parse(String(attributes['input.value']))).toHaveLength(200);
  });

  it('keeps all that it had, and all it had is nowhere twice', () => {
    const own = Object.fromEntries(Array.from({ length: 124 }, (_, i) => [`app.${i}`, i]));
    const content = {
      'gen_ai.input.messages': texts(['user', 'x']),
      'gen_ai.output.messages': texts(['assistant', 'y']),
    };
    const { attributes } = map(['openinference', 'langfuse'])(chatWith({ ...own, ...content }));
    expect(attributes).toMatchObject(own);
    const said = Object.values(attributes).map(String);
    for (const text of Object.values(content)) expect(said).toContain(text);
    expect(attributes[LEFT_OUT]).toBeGreaterThan(10);
  });

  it('has a part of one message that is too large by itself', () => {
    const parts = Array.from({ length: 100 }, (_, i) => ({ type: 'tool_call', id: `c${i}`, name: 'f', arguments: {} }));
    const messages = JSON.stringify([{ role: 'assistant', parts }]);
    const { attributes } = map(['openinference'])(chatWith({ 'gen_ai.output.messages': messages }));
    expect(Object.keys(attributes)).toHaveLength(128);
    expect(attributes['llm.output_messages.0.message.tool_calls.0.tool_call.function.name']).toBe('f');
    const flat = Object.keys(attributes).filter((name) => name.includes('_messages.')).length;
    expect(attributes[LEFT_OUT]).toBe(301 - flat);
  });

  it('is rare: no recording has one', () => {
    const mapper = new SpanMapper(profilesOf(['genai', 'langfuse', 'openinference'], {}));
    const sizes = recordingNames().flatMap((name) =>
      recordedSpans(name, 'redacted').map((span) => Object.keys(mapper.map(span).attributes).length),
    );
    expect(sizes.length).toBeGreaterThan(700);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(128);
  });
});
