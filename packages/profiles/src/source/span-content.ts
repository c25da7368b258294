import { semconv } from '@hermes-observer/otel';
import { onlyText, parsedJson } from './messages.js';
import type { SourceSpan } from './source-span.js';

/** What went into a span, or came out of it, as one value. */
export interface Content {
  readonly text: string;
  readonly mimeType: 'application/json' | 'text/plain';
}

/** Messages are JSON: they need not be read again to know that. */
const messagesOf = (text: string | undefined, isRead: boolean): Content | undefined =>
  text !== undefined && isRead ? { text, mimeType: 'application/json' } : contentOf(text);

const contentOf = (text: string | undefined): Content | undefined =>
  text === undefined
    ? undefined
    : { text, mimeType: typeof parsedJson(text) === 'object' ? 'application/json' : 'text/plain' };

/** `undefined` without content. */
export function inputContent(source: SourceSpan): Content | undefined {
  switch (source.role) {
    case 'tool':
      return contentOf(source.text(semconv.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS));
    case 'approval':
      return contentOf(source.text(semconv.ATTR_HERMES_APPROVAL_COMMAND));
    case 'human_input':
      return contentOf(source.text(semconv.ATTR_HERMES_HUMAN_INPUT_PROMPT));
    case 'agent':
      // A turn is asked one thing: its text says more than the message it came in.
      return contentOf(onlyText(source.inputMessages) ?? source.text(semconv.ATTR_GEN_AI_INPUT_MESSAGES));
    default:
      return messagesOf(source.text(semconv.ATTR_GEN_AI_INPUT_MESSAGES), source.inputMessages !== undefined);
  }
}

export function outputContent(source: SourceSpan): Content | undefined {
  switch (source.role) {
    case 'tool':
      return contentOf(source.text(semconv.ATTR_GEN_AI_TOOL_CALL_RESULT));
    case 'approval':
      return contentOf(source.text(semconv.ATTR_HERMES_APPROVAL_CHOICE));
    case 'human_input':
      return contentOf(source.text(semconv.ATTR_HERMES_HUMAN_INPUT_OUTCOME));
    case 'agent':
      return contentOf(onlyText(source.outputMessages) ?? source.text(semconv.ATTR_GEN_AI_OUTPUT_MESSAGES));
    default:
      return messagesOf(source.text(semconv.ATTR_GEN_AI_OUTPUT_MESSAGES), source.outputMessages !== undefined);
  }
}

/** Attributes that these two carry whole. A command or prompt is short, and stays. */
export const INPUT_SOURCES = [semconv.ATTR_GEN_AI_INPUT_MESSAGES, semconv.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS];
export const OUTPUT_SOURCES = [semconv.ATTR_GEN_AI_OUTPUT_MESSAGES, semconv.ATTR_GEN_AI_TOOL_CALL_RESULT];

/** Settings of a model request: `max_tokens`, `temperature` and so on, by name. */
export function requestParameters(source: SourceSpan): string | undefined {
  const PREFIX = 'gen_ai.request.';
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(source.attributes)) {
    const value = source.get(name);
    if (value === undefined || !name.startsWith(PREFIX) || name === semconv.ATTR_GEN_AI_REQUEST_MODEL) continue;
    found[name.slice(PREFIX.length)] = value;
  }
  return Object.keys(found).length === 0 ? undefined : JSON.stringify(found);
}
