import { convertGenAISpanAttributesToOpenInferenceSpanAttributes } from '@arizeai/openinference-genai';
import { openInferenceProfile, SpanMapper } from '@hermes-observer/profiles';
import type { Attributes } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { recordedSpans, recordingNames } from '../recorded-spans.js';

/** What is meant otherwise here; docs/profiles.md says why. */
const OTHERWISE = new Set([
  'llm.provider',
  'llm.system',
  'llm.invocation_parameters',
  // Of a tool it is `tool.id` here, as the specification has it.
  'tool_call.id',
  'metadata.gen_ai.system_instructions',
]);

interface Said {
  role?: unknown;
  text: string;
  calls: unknown[];
  answers?: unknown;
}

/** Messages as what they say, however that is spread over attributes. */
function said(attributes: Attributes, list: string): Said[] {
  const messages: Said[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    const [, index, field = ''] = new RegExp(`^${list}\\.(\\d+)\\.message\\.(.+)$`).exec(name) ?? [];
    if (index === undefined) continue;
    messages[Number(index)] ??= { text: '', calls: [] };
    const message = messages[Number(index)] as Said;
    if (field === 'role') message.role = value;
    else if (field === 'tool_call_id') message.answers = value;
    // A system prompt of several parts has them on lines of their own here.
    else if (field === 'content' || field.endsWith('.text')) message.text += String(value).replaceAll(/\s/g, '');
    else if (field.startsWith('tool_calls.')) message.calls.push([field, value]);
  }
  return messages;
}

it("says what Arize's own converter says of the same spans", () => {
  // Without a bound, as the converter has none.
  const mapper = new SpanMapper([openInferenceProfile()], { maxAttributes: 10_000 });
  const different: string[] = [];
  let compared = 0;
  for (const recording of recordingNames()) {
    for (const span of recordedSpans(recording, 'full')) {
      // It takes spans without an operation for those of a model.
      if (span.attributes['gen_ai.operation.name'] === undefined) continue;
      const ours = mapper.map(span).attributes;
      const theirs = convertGenAISpanAttributesToOpenInferenceSpanAttributes(span.attributes) ?? {};
      const isAgent = span.attributes['gen_ai.operation.name'] === 'invoke_agent';
      for (const [name, value] of Object.entries(theirs)) {
        if (name.includes('_messages.') || OTHERWISE.has(name)) continue;
        // A turn is its text here, and has no model of its own; arguments that are no object are no parameters.
        if (isAgent && /^((in|out)put\.|llm\.model_name)/.test(name)) continue;
        if (name === 'tool.parameters' && ours[name] === undefined) continue;
        compared++;
        if (ours[name] !== value && JSON.stringify(ours[name]) !== JSON.stringify(value)) {
          different.push(`${recording} ${span.name}: ${name} ${String(ours[name])} ≠ ${String(value)}`.slice(0, 300));
        }
      }
      // Images are images here, and JSON as text there.
      if (isAgent || String(span.attributes['gen_ai.input.messages']).includes('"modality":"image"')) continue;
      for (const list of ['llm.input_messages', 'llm.output_messages']) {
        const mine = said(ours, list);
        let other = said(theirs, list);
        // It puts the system prompt before messages that begin with it already.
        if (other[0]?.role === 'system' && other[1]?.role === 'system') other = other.slice(1);
        // What a tool gave is a message of the tool here, also where a protocol has it in one of the user.
        other = other.map((message) => (message.answers === undefined ? message : { ...message, role: 'tool' }));
        compared++;
        if (JSON.stringify(mine) !== JSON.stringify(other)) {
          different.push(
            `${recording} ${span.name}: ${list}\n${JSON.stringify(mine).slice(-300)}\n${JSON.stringify(other).slice(-300)}`,
          );
        }
      }
    }
  }
  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(5_000);
});
