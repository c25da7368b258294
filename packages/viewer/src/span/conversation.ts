import { jsonIn, type MessagePart, parsePart } from './message-parts.js';

/** One message: who said it, and what. */
export interface Message {
  readonly role: string;
  readonly parts: readonly MessagePart[];
  /** The answer, and not what was sent. */
  readonly isAnswer: boolean;
  readonly finish?: string;
}

/**
 * Messages of a span in order, each tool call with its result. A result that its call is not here for stands alone.
 * @param input `gen_ai.input.messages` @param output `gen_ai.output.messages` @param system `gen_ai.system_instructions`
 */
export function readConversation(input: unknown, output: unknown, system: unknown): Message[] {
  const sent = messagesIn(input, false);
  const hasSystem = sent.some(({ role }) => role === 'system' || role === 'developer');
  const instructions = hasSystem ? [] : systemMessage(system);
  return paired([...instructions, ...sent, ...messagesIn(output, true)]);
}

function messagesIn(value: unknown, isAnswer: boolean): Message[] {
  const list = jsonIn(value);
  if (list === undefined || list === null || list === '') return [];
  if (!Array.isArray(list)) {
    const part: MessagePart = typeof list === 'string' ? { type: 'text', text: list } : { type: 'other', value: list };
    return [{ role: isAnswer ? 'assistant' : 'messages', parts: [part], isAnswer }];
  }
  return list.map((message: unknown): Message => {
    if (typeof message !== 'object' || message === null) return { role: '', parts: [parsePart(message)], isAnswer };
    const { role, parts, content, finish_reason: finish } = message as Record<string, unknown>;
    const found = Array.isArray(parts)
      ? parts
      : Array.isArray(content)
        ? content
        : content === undefined
          ? [message]
          : [content];
    const made = { role: typeof role === 'string' ? role : '', parts: found.map(parsePart), isAnswer };
    return typeof finish === 'string' && finish !== '' ? { ...made, finish } : made;
  });
}

function systemMessage(value: unknown): Message[] {
  const parts = jsonIn(value);
  if (parts === undefined || parts === null || parts === '') return [];
  return [{ role: 'system', parts: (Array.isArray(parts) ? parts : [parts]).map(parsePart), isAnswer: false }];
}

/** Puts results below their calls. Ids may come again in a long conversation: the last call before a result is its own. */
function paired(messages: readonly Message[]): Message[] {
  const resultOf = new Map<MessagePart, unknown>();
  const used = new Set<MessagePart>();
  const calls = new Map<string, MessagePart>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === 'call' && part.id !== '') calls.set(part.id, part);
      if (part.type !== 'result') continue;
      const call = calls.get(part.id);
      if (call === undefined || resultOf.has(call)) continue;
      resultOf.set(call, part.value);
      used.add(part);
    }
  }
  return messages.flatMap((message) => {
    const parts = message.parts
      .filter((part) => !used.has(part))
      .map((part) =>
        part.type === 'call' && resultOf.has(part) ? { ...part, result: resultOf.get(part), hasResult: true } : part,
      );
    return parts.length === 0 && message.parts.length > 0 ? [] : [{ ...message, parts }];
  });
}
