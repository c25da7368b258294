import { semconv } from '@hermes-observer/otel';
import type { Note } from './note.js';
import { piece } from './piece.js';
import type { Role } from './role.js';
import { type RowAttributes, type SpanRow, textOf } from './span-row.js';

type Source = readonly [label: string, attribute: string, read: (text: string) => string];

const plain = (text: string) => text;

const SOURCES: Readonly<Record<Role, readonly Source[]>> = {
  turn: [
    ['asked', semconv.ATTR_GEN_AI_INPUT_MESSAGES, lastMessage],
    ['answer', semconv.ATTR_GEN_AI_OUTPUT_MESSAGES, lastMessage],
  ],
  child: [
    ['goal', semconv.ATTR_GEN_AI_INPUT_MESSAGES, lastMessage],
    ['summary', semconv.ATTR_GEN_AI_OUTPUT_MESSAGES, lastMessage],
  ],
  chat: [['answer', semconv.ATTR_GEN_AI_OUTPUT_MESSAGES, lastMessage]],
  tool: [
    ['arguments', semconv.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, plain],
    ['result', semconv.ATTR_GEN_AI_TOOL_CALL_RESULT, plain],
  ],
  approval: [
    ['command', semconv.ATTR_HERMES_APPROVAL_COMMAND, plain],
    ['because', semconv.ATTR_HERMES_APPROVAL_DESCRIPTION, plain],
  ],
  human_input: [['asked', semconv.ATTR_HERMES_HUMAN_INPUT_PROMPT, plain]],
  other: [],
};

/** The content that a span carries, one line each, for whoever asked to see it. */
export function excerptsOf(row: SpanRow, role: Role): Note[] {
  const notes: Note[] = [];
  for (const [label, attribute, read] of SOURCES[role]) add(notes, label, row.attributes, attribute, read);
  if (row.statusMessage !== undefined && row.statusMessage !== '') notes.push(note('message', row.statusMessage));
  return notes;
}

function add(notes: Note[], label: string, attributes: RowAttributes, name: string, read: (text: string) => string) {
  const text = textOf(attributes, name);
  const excerpt = text === undefined ? '' : read(text).trim();
  if (excerpt !== '') notes.push(note(label, excerpt));
}

const note = (label: string, text: string): Note => ({ pieces: [piece(`${label}: `, 'dim'), piece(text)] });

/** What the last of a list of messages says: its text, else the tools it asks for. JSON that is none is shown as it is. */
function lastMessage(json: string): string {
  let messages: unknown;
  try {
    messages = JSON.parse(json);
  } catch {
    return json;
  }
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const parts = (last as { parts?: unknown } | null | undefined)?.parts;
  if (!Array.isArray(parts)) return json;
  return parts.map(partText).filter(Boolean).join(' ');
}

function partText(part: unknown): string {
  if (typeof part !== 'object' || part === null) return '';
  const { type, content, name } = part as Record<string, unknown>;
  if (type === 'tool_call' && typeof name === 'string') return `→ ${name}`;
  return type === 'text' && typeof content === 'string' ? content : '';
}
