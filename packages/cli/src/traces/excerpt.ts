import { semconv } from '@hermes-observer/otel';
import { short } from './span-facts.js';
import { type SpanSource, textOf } from './span-source.js';

/** A conversation longer than this is not taken apart for a few words of it. */
const MOST_PARSED = 256 * 1024;
const MOST_CHARACTERS = 200;

/** The first words of the person whose turn it is, where content was captured. */
export function excerptOf({ attributes }: SpanSource): string | undefined {
  const json = textOf(attributes, semconv.ATTR_GEN_AI_INPUT_MESSAGES);
  if (json === undefined || json.length > MOST_PARSED) return undefined;
  let messages: unknown;
  try {
    messages = JSON.parse(json);
  } catch {
    return short(json, MOST_CHARACTERS);
  }
  if (!Array.isArray(messages)) return undefined;
  // What came before in the conversation may stand in front.
  for (const message of messages.toReversed()) {
    if ((message as { role?: unknown } | null)?.role !== 'user') continue;
    const text = textIn(message as { parts?: unknown; content?: unknown });
    if (text !== '') return short(text, MOST_CHARACTERS);
  }
  return undefined;
}

function textIn({ parts, content }: { readonly parts?: unknown; readonly content?: unknown }): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(parts)) return '';
  return parts
    .map((part: { type?: unknown; content?: unknown } | null) =>
      part?.type === 'text' && typeof part.content === 'string' ? part.content : '',
    )
    .join(' ')
    .trim();
}
