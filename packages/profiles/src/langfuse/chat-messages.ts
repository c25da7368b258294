import { type Message, type Part, textOf } from '../source/messages.js';

/** Messages as chat completions have them, which Langfuse shows as a conversation and finds tool calls in. */
export function chatMessages(system: string | undefined, messages: readonly Message[]): string {
  const first = system === undefined ? [] : [{ role: 'system', content: system }];
  return JSON.stringify([...first, ...messages.flatMap(chatMessage)]);
}

/** The answer: a message by itself, as Langfuse has it of its own SDKs; several are a list. */
export function chatAnswer(messages: readonly Message[]): string {
  const answers = messages.flatMap(chatMessage);
  return JSON.stringify(answers.length === 1 ? answers[0] : answers);
}

function chatMessage({ role, parts }: Message): object[] {
  const results = parts
    .filter(({ type }) => type === 'tool_call_response')
    .map(({ id, response }) => ({ role: 'tool', ...idOf('tool_call_id', id), content: textOf(response ?? '') }));
  const rest = parts.filter(({ type }) => type !== 'tool_call_response');
  if (rest.length === 0 && results.length > 0) return results;
  const calls = rest.filter(({ type }) => type === 'tool_call');
  const contents = rest.filter(({ type }) => type !== 'tool_call');
  const toolCalls = calls.map(({ id, name, arguments: args }) => ({
    ...idOf('id', id),
    type: 'function',
    function: { name: textOf(name ?? ''), arguments: textOf(args ?? {}) },
  }));
  const message = { role, content: contentOf(contents), ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }) };
  return [message, ...results];
}

const idOf = (name: string, id: unknown) => (typeof id === 'string' ? { [name]: id } : {});

function contentOf(parts: readonly Part[]): unknown {
  const [only] = parts;
  if (only === undefined) return '';
  if (parts.length === 1 && only.type === 'text') return textOf(only.content);
  return parts.map((part) => {
    if (part.type === 'text') return { type: 'text', text: textOf(part.content) };
    if (part.type === 'uri' && part.modality === 'image') return { type: 'image_url', image_url: { url: part.uri } };
    return part;
  });
}
