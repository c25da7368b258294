import { describe, expect, it } from 'vitest';
import { SpanMapper } from '../mapping/span-mapper.js';
import { chatWith, recordedSpans } from '../mapping/spans.test-support.js';
import { genAiProfile, genAiVersion } from './genai-profile.js';

const OPT_IN = 'OTEL_SEMCONV_STABILITY_OPT_IN';

it.each([
  ['', '1.41.1'],
  ['http', '1.41.1'],
  ['gen_ai_latest_experimental', '0.1.0'],
  ['http/dup, gen_ai_latest_experimental', '0.1.0'],
  ['gen_ai_latest_experimental/dup', 'both'],
  ['gen_ai_latest_experimental,gen_ai_latest_experimental/dup', 'both'],
  ['gen_ai', '1.41.1'],
])('OTEL_SEMCONV_STABILITY_OPT_IN=%s asks for %s', (value, version) => {
  expect(genAiVersion({ [OPT_IN]: value })).toBe(version);
});

it('no variable asks for the names that spans have', () => expect(genAiVersion({})).toBe('1.41.1'));

describe('the names of 0.1.0', () => {
  const span = chatWith({
    'gen_ai.usage.cache_creation.input_tokens': 7,
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [], finish_reason: 'stop' }]),
  });
  const scope = { name: 'scope', schemaUrl: 'https://opentelemetry.io/schemas/1.41.1' };
  const map = (env: Record<string, string>) =>
    new SpanMapper([genAiProfile({ env })]).map({ ...span, instrumentationScope: scope });

  it('take the place of the older ones, and the scope says so', () => {
    const { attributes, instrumentationScope } = map({ [OPT_IN]: 'gen_ai_latest_experimental' });
    expect(attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm-1',
      'gen_ai.usage.cache_write.input_tokens': 7,
      'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [] }]),
    });
    expect(instrumentationScope).toEqual({
      name: 'scope',
      schemaUrl: 'https://opentelemetry.io/schemas/gen-ai/0.1.0',
    });
  });

  it('stand beside the older ones where both are asked for', () => {
    const { attributes, instrumentationScope } = map({ [OPT_IN]: 'gen_ai_latest_experimental/dup' });
    expect(attributes).toEqual({ ...span.attributes, 'gen_ai.usage.cache_write.input_tokens': 7 });
    expect(instrumentationScope).toBe(scope);
  });

  it('are not there unless asked for', () => {
    const { attributes, instrumentationScope } = map({});
    expect(attributes).toEqual(span.attributes);
    expect(instrumentationScope).toBe(scope);
  });

  it('lose nothing of a recording with child agents', () => {
    const mapper = new SpanMapper([genAiProfile({ version: '0.1.0' })]);
    for (const recorded of recordedSpans('0.22.2/k-delegate-one-child-sync', 'full')) {
      const { attributes } = mapper.map(recorded);
      expect(Object.keys(attributes)).toHaveLength(Object.keys(recorded.attributes).length);
      if (recorded.attributes['gen_ai.agent.id'] !== undefined) {
        expect(attributes['hermes.subagent.id']).toBe(recorded.attributes['gen_ai.agent.id']);
      }
    }
  });
});
