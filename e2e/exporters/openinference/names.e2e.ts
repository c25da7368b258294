import { OpenInferenceSpanKind, SemanticConventions } from '@arizeai/openinference-semantic-conventions';
import { openInferenceProfile, SpanMapper } from '@hermes-observer/profiles';
import type { AttributeValue } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { recordedSpans, recordingNames } from '../recorded-spans.js';

const KNOWN: ReadonlySet<string> = new Set(Object.values(SemanticConventions));

/** Whether a name is one of the conventions, or the name of a list, a number, and such a name of an element. */
function isKnown(name: string): boolean {
  if (KNOWN.has(name)) return true;
  const inList = /^(.+?)\.\d+\.(.+)$/.exec(name);
  if (inList !== null) return KNOWN.has(inList[1] ?? '') && isKnown(inList[2] ?? '');
  // A part with a part of its own: `message_content.image.image.url`.
  return [...KNOWN].some((prefix) => name.startsWith(`${prefix}.`) && KNOWN.has(name.slice(prefix.length + 1)));
}

/** Types that the specification gives, by the last part of a name. */
const INTEGERS = /^llm\.token_count\./;
const FLOATS = /^llm\.cost\./;
const JSON_TEXTS = /(^metadata|^tool\.parameters|^llm\.invocation_parameters|function\.arguments)$/;

function typeFault(name: string, value: AttributeValue | undefined): string | undefined {
  if (INTEGERS.test(name)) return Number.isInteger(value) ? undefined : 'is no integer';
  if (FLOATS.test(name)) return typeof value === 'number' ? undefined : 'is no number';
  if (typeof value !== 'string') return 'is no string';
  if (!JSON_TEXTS.test(name)) return undefined;
  try {
    JSON.parse(value);
    return undefined;
  } catch {
    return 'is no JSON';
  }
}

const ROWS = openInferenceProfile();

describe('names of OpenInference', () => {
  it('are known to its package, every row of the table', () => {
    const names = [...ROWS.rows, ...(ROWS.listRows ?? [])].map(({ name }) => name.replaceAll(/\{\w\}/g, '0'));
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => !name.includes('…') && !isKnown(name))).toEqual([]);
  });

  it.each(['none', 'full'] as const)(
    'are known on every span of every recording, and of the right type: capture %s',
    (capture) => {
      const mapper = new SpanMapper([ROWS]);
      const kinds = new Set<string>(Object.values(OpenInferenceSpanKind));
      const faults: string[] = [];
      let names = 0;
      for (const recording of recordingNames()) {
        for (const span of recordedSpans(recording, capture)) {
          const { attributes } = mapper.map(span);
          expect(kinds).toContain(attributes['openinference.span.kind']);
          for (const [name, value] of Object.entries(attributes)) {
            if (Object.hasOwn(span.attributes, name) || name === 'hermes.export.left_out_attributes') continue;
            names++;
            const fault = isKnown(name) ? typeFault(name, value) : 'is not known';
            if (fault !== undefined) faults.push(`${recording} ${span.name}: ${name} ${fault}`);
          }
        }
      }
      expect(faults).toEqual([]);
      expect(names).toBeGreaterThan(5_000);
    },
  );

  it('that are not there are found', () => {
    expect(isKnown('llm.input_messages.0.message.role')).toBe(true);
    expect(isKnown('llm.input_messages.0.message.rolle')).toBe(false);
    expect(isKnown('llm.token_count.prompts')).toBe(false);
    expect(typeFault('llm.token_count.prompt', '3')).toBe('is no integer');
  });
});
