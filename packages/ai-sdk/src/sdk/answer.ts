import type { AdapterAnswer, AskedToolCall } from '@hermes-observer/adapter';
import { type Fields, fieldsOf, listOf, textOf } from './events.js';

/** What is kept of the text of a stream, in characters. */
const MOST_TEXT = 1_000_000;

/** The SDK's reasons in the words of the contract; any other is kept as it is. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

function finishReasonOf(value: unknown): string | undefined {
  const reason = textOf(value) ?? textOf(fieldsOf(value).unified);
  return reason === undefined ? undefined : (FINISH_REASONS[reason] ?? reason);
}

const toolCallOf = (part: ReturnType<typeof fieldsOf>): AskedToolCall => ({
  id: textOf(part.toolCallId) ?? '',
  name: textOf(part.toolName) ?? '',
  arguments: typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {}),
});

/** The answer of a model that does not stream: `usage`, `finishReason`, `content`, `response`. */
export function answerOf(result: unknown, recordsOutputs: boolean): AdapterAnswer {
  const { usage, finishReason, content, response } = fieldsOf(result);
  const parts = listOf(content).map(fieldsOf);
  const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => String(text));
  return {
    usage,
    finishReason: finishReasonOf(finishReason),
    responseModel: textOf(fieldsOf(response).modelId),
    ...(recordsOutputs
      ? {
          text: texts.length === 0 ? undefined : texts.join(''),
          toolCalls: parts.filter(({ type }) => type === 'tool-call').map(toolCallOf),
        }
      : {}),
  };
}

/** The answer of a model that streams, from its parts. */
export class StreamedAnswer {
  readonly #recordsOutputs: boolean;
  readonly #calls: AskedToolCall[] = [];
  #text = '';
  #usage: unknown;
  #finishReason: string | undefined;
  #model: string | undefined;

  constructor(recordsOutputs: boolean) {
    this.#recordsOutputs = recordsOutputs;
  }

  add(fields: Fields): void {
    const { type } = fields;
    if (type === 'text-delta') {
      if (this.#recordsOutputs && this.#text.length < MOST_TEXT) this.#text += textOf(fields.delta) ?? '';
    } else if (type === 'finish') {
      this.#usage = fields.usage;
      this.#finishReason = finishReasonOf(fields.finishReason);
    } else if (type === 'response-metadata') this.#model = textOf(fields.modelId) ?? this.#model;
    else if (type === 'tool-call' && this.#recordsOutputs) this.#calls.push(toolCallOf(fields));
  }

  get answer(): AdapterAnswer {
    return {
      usage: this.#usage,
      finishReason: this.#finishReason,
      responseModel: this.#model,
      ...(this.#recordsOutputs ? { text: this.#text || undefined, toolCalls: this.#calls } : {}),
    };
  }
}
