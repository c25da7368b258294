import type { AdapterAnswer } from '@hermes-observer/adapter';
import { countOf, type Fields, fieldsOf, finishReasonOf, lastUserMessage, listOf, textOf } from './fields.js';
import type { Protocol, StreamedAnswer } from './protocol.js';
import { StreamedParts } from './streamed-parts.js';

/** Anthropic messages, those of `beta` too. Tools that the provider runs itself are part of the answer. */
export const messages: Protocol = {
  apiMode: 'anthropic_messages',

  asks(body: Fields) {
    const { model, messages: said, system, max_tokens } = body;
    return {
      model: textOf(model),
      messages: Array.isArray(said) ? said : undefined,
      systemPrompt: system,
      maxTokens: countOf(max_tokens),
      userMessage: lastUserMessage(said),
    };
  },

  answerOf(value: unknown): AdapterAnswer {
    const { content, usage, stop_reason, model } = fieldsOf(value);
    const blocks = listOf(content).map(fieldsOf);
    const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => textOf(text) ?? '');
    return {
      usage,
      finishReason: finishReasonOf(stop_reason),
      responseModel: textOf(model),
      text: textOf(texts.join('')),
      toolCalls: blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({
          id: textOf(id) ?? '',
          name: textOf(name) ?? '',
          arguments: JSON.stringify(input ?? {}),
        })),
    };
  },

  streamed: () => new StreamedMessage(),
};

class StreamedMessage implements StreamedAnswer {
  readonly #parts = new StreamedParts();
  #usage: Fields | undefined;
  #finishReason: string | undefined;
  #model: string | undefined;

  add(event: unknown): void {
    const { type, message, content_block, delta, usage, index } = fieldsOf(event);
    if (type === 'content_block_delta') this.#addDelta(index, fieldsOf(delta));
    else if (type === 'content_block_start') {
      const { type: kind, id, name } = fieldsOf(content_block);
      if (kind === 'tool_use') this.#parts.addCall(index, id, name, undefined);
    } else if (type === 'message_start') {
      this.#model = textOf(fieldsOf(message).model);
      this.#usage = fieldsOf(fieldsOf(message).usage);
    } else if (type === 'message_delta') {
      this.#finishReason = finishReasonOf(fieldsOf(delta).stop_reason) ?? this.#finishReason;
      this.#usage = { ...this.#usage, ...known(fieldsOf(usage)) };
    }
  }

  #addDelta(index: unknown, { type, text, partial_json }: Fields): void {
    if (type === 'text_delta') this.#parts.addText(text);
    else if (type === 'input_json_delta') this.#parts.addCall(index, undefined, undefined, partial_json);
  }

  get isComplete(): boolean {
    return this.#finishReason !== undefined;
  }

  get answer(): AdapterAnswer {
    const { output_tokens, ...asked } = this.#usage ?? {};
    return {
      // Of the output, the count at the start says nothing.
      usage: this.isComplete ? { ...asked, output_tokens } : asked,
      finishReason: this.#finishReason,
      responseModel: this.#model,
      text: this.#parts.text,
      toolCalls: this.#parts.toolCalls,
    };
  }
}

/** Counts that are told: some are repeated as null. */
const known = (usage: Fields): Fields =>
  Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
