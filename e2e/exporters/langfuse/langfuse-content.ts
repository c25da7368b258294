import { type Attributes, textOf } from './otlp-attributes.js';

interface Content {
  readonly input: unknown;
  readonly output: unknown;
}

/** The first pair of which one is there; they are never mixed. */
export function inputAndOutput(attributes: Attributes): Content {
  const pair = (input: string, output: string): Content => ({ input: attributes[input], output: attributes[output] });
  const messages = pair('gen_ai.input.messages', 'gen_ai.output.messages');
  const pairs: readonly Content[] = [
    pair('langfuse.observation.input', 'langfuse.observation.output'),
    pair('input.value', 'output.value'),
    flat(attributes),
    { ...messages, input: withSystem(messages.input, attributes['gen_ai.system_instructions']) },
    pair('gen_ai.tool.call.arguments', 'gen_ai.tool.call.result'),
  ];
  return pairs.find(({ input, output }) => input || output) ?? { input: undefined, output: undefined };
}

function flat(attributes: Attributes): Content {
  const list = (prefix: string) => {
    const found = Object.entries(attributes).filter(([name]) => name.startsWith(prefix));
    return found.length === 0 ? undefined : Object.fromEntries(found);
  };
  return { input: list('llm.input_messages'), output: list('llm.output_messages') };
}

function withSystem(input: unknown, instructions: unknown): unknown {
  if (typeof input !== 'string' || instructions === undefined) return input;
  const messages = JSON.parse(input) as { role?: string }[];
  if (messages.some(({ role }) => role === 'system')) return input;
  const parts = JSON.parse(String(instructions)) as { content?: unknown }[];
  return JSON.stringify([
    { role: 'system', content: parts.map(({ content }) => String(content)).join('\n') },
    ...messages,
  ]);
}

/** Keys of content are shown as content alone. */
const SHOWN_ELSEWHERE =
  /^(langfuse\.(trace|observation)\.(input|output|metadata)|(input|output)\.value$|gen_ai\.(input\.messages|output\.messages|system_instructions|tool\.call\.(arguments|result))|llm\.(input|output)_messages)/;

/** Notes of the observation and of the trace, and all other attributes below `attributes`. */
export function metadataOf(attributes: Attributes): Record<string, unknown> {
  const notes: Record<string, unknown> = {};
  const others: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const [, note] = /^langfuse\.(?:observation|trace)\.metadata\.(.+)$/.exec(name) ?? [];
    if (note !== undefined) notes[note] = value;
    if (!SHOWN_ELSEWHERE.test(name)) others[name] = textOf(value) ?? JSON.stringify(value);
  }
  return { attributes: others, ...notes };
}
