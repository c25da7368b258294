import type { Entry, FlatList } from '../mapping/profile.js';
import { type Message, type Part, textOf } from '../source/messages.js';

/** A message with its fields, before it has a number. */
type Fields = readonly Entry[];

const INPUT = 'llm.input_messages';
const OUTPUT = 'llm.output_messages';

/**
 * Messages as OpenInference wants them, an attribute for each field of each part. The most important are those of the
 * answer, then the system prompt, then the newest of the request. What is kept of a list is numbered without gaps.
 */
export class FlatMessages implements FlatList {
  readonly size: number;
  readonly #system: Fields | undefined;
  readonly #input: readonly Fields[];
  readonly #output: readonly Fields[];

  constructor(
    system: string | undefined,
    input: readonly Message[] | undefined,
    output: readonly Message[] | undefined,
  ) {
    this.#system = system === undefined ? undefined : [ROLE('system'), ['message.content', system]];
    this.#input = input?.flatMap(fieldsOf) ?? [];
    this.#output = output?.flatMap(fieldsOf) ?? [];
    this.size = sizeOf([...(this.#system === undefined ? [] : [this.#system]), ...this.#input, ...this.#output]);
  }

  fit(room: number): readonly Entry[] {
    const output = firstThatFit(this.#output, room);
    let left = room - sizeOf(output);
    const system = this.#system !== undefined && this.#system.length <= left ? [this.#system] : [];
    left -= sizeOf(system);
    const newest = firstThatFit(this.#input.toReversed(), left).toReversed();
    return [...numbered(INPUT, [...system, ...newest]), ...numbered(OUTPUT, output)];
  }
}

const ROLE = (role: string): Entry => ['message.role', role];

const sizeOf = (messages: readonly Fields[]) => messages.reduce((sum, { length }) => sum + length, 0);

/** Whole messages in order; of the very first one a part rather than nothing. */
function firstThatFit(messages: readonly Fields[], room: number): Fields[] {
  const kept: Fields[] = [];
  let left = room;
  for (const message of messages) {
    if (message.length > left) {
      if (kept.length === 0 && left > 0) kept.push(message.slice(0, left));
      break;
    }
    kept.push(message);
    left -= message.length;
  }
  return kept;
}

const numbered = (list: string, messages: readonly Fields[]): Entry[] =>
  messages.flatMap((fields, i) => fields.map(([name, value]): Entry => [`${list}.${i}.${name}`, value]));

/** A message can answer several tool calls at once; OpenInference has a message for each. */
function fieldsOf({ role, parts }: Message): Fields[] {
  const answers = parts.filter(({ type }) => type === 'tool_call_response');
  if (answers.length === 0) return [[ROLE(role), ...partsOf(parts)]];
  const rest = parts.filter(({ type }) => type !== 'tool_call_response');
  const others = rest.length === 0 ? [] : [[ROLE(role), ...partsOf(rest)]];
  return [
    ...others,
    ...answers.map(
      (answer): Fields => [
        ROLE('tool'),
        ...(typeof answer.id === 'string' ? ([['message.tool_call_id', answer.id]] as const) : []),
        ['message.content', textOf(answer.response ?? '')],
      ],
    ),
  ];
}

/** Nothing but one text goes into one attribute; anything else is a list of contents, and one of tool calls. */
function partsOf(parts: readonly Part[]): Entry[] {
  const contents = parts.filter(({ type }) => type !== 'tool_call');
  const calls = parts.filter(({ type }) => type === 'tool_call');
  const [only] = contents;
  const isOneText = contents.length === 1 && only?.type === 'text';
  const flat = isOneText
    ? [['message.content', textOf(only.content)] as const]
    : contents.flatMap((part, i) =>
        contentOf(part).map(([name, value]): Entry => [`message.contents.${i}.message_content.${name}`, value]),
      );
  return [
    ...flat,
    ...calls.flatMap((call, i) =>
      callOf(call).map(([name, value]): Entry => [`message.tool_calls.${i}.tool_call.${name}`, value]),
    ),
  ];
}

function contentOf(part: Part): Entry[] {
  const { type, content } = part;
  if (type === 'text')
    return [
      ['type', 'text'],
      ['text', textOf(content)],
    ];
  if (type === 'reasoning')
    return [
      ['type', 'reasoning'],
      ['text', textOf(content ?? '')],
    ];
  if (type === 'uri' && part.modality === 'image' && typeof part.uri === 'string') {
    return [
      ['type', 'image'],
      ['image.image.url', part.uri],
    ];
  }
  return [
    ['type', 'text'],
    ['text', textOf(part)],
  ];
}

function callOf({ id, name, arguments: args }: Part): Entry[] {
  return [
    ...(typeof id === 'string' ? ([['id', id]] as const) : []),
    ['function.name', textOf(name ?? '')],
    ['function.arguments', textOf(args ?? {})],
  ];
}
