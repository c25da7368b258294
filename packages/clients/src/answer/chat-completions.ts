import type { AdapterAnswer, AskedToolCall } from '@hermes-observer/adapter';
import { countOf, type Fields, fieldsOf, finishReasonOf, lastUserMessage, listOf, textOf } from './fields.js';
import type { Protocol, StreamedAnswer } from './protocol.js';
import { StreamedParts } from './streamed-parts.js';

function toolCallOf(value: unknown): AskedToolCall {
  const { id, function: named, custom } = fieldsOf(value);
  const { name, arguments: args } = fieldsOf(named);
  const { name: customName, input } = fieldsOf(custom);
  return {
    id: textOf(id) ?? '',
    name: textOf(name) ?? textOf(customName) ?? '',
    arguments: textOf(args) ?? textOf(input) ?? '',
  };
}

/** OpenAI chat completions, and the completions that came before them. */
export const chatCompletions: Protocol = {
  apiMode: 'chat_completions',

  asks(body: Fields) {
    const { model, messages, prompt, max_completion_tokens, max_tokens } = body;
    return {
      model: textOf(model),
      messages: Array.isArray(messages) ? messages : undefined,
      maxTokens: countOf(max_completion_tokens) ?? countOf(max_tokens),
      userMessage: lastUserMessage(messages) ?? textOf(prompt),
    };
  },

  answerOf(value: unknown): AdapterAnswer {
    const { choices, usage, model } = fieldsOf(value);
    const choice = fieldsOf(listOf(choices)[0]);
    const { content, refusal, tool_calls } = fieldsOf(choice.message);
    return {
      usage,
      finishReason: finishReasonOf(choice.finish_reason),
      responseModel: textOf(model),
      text: textOf(content) ?? textOf(refusal) ?? textOf(choice.text),
      toolCalls: listOf(tool_calls).map(toolCallOf),
    };
  },

  streamed: () => new StreamedCompletion(),
};

/** Of several choices the first one. Usage stands in the last chunk, if the request asked for it. */
class StreamedCompletion implements StreamedAnswer {
  readonly #parts = new StreamedParts();
  #usage: unknown;
  #finishReason: string | undefined;
  #model: string | undefined;

  add(chunk: unknown): void {
    const { choices, usage, model } = fieldsOf(chunk);
    this.#model ??= textOf(model);
    if (typeof usage === 'object' && usage !== null) this.#usage = usage;
    const choice = fieldsOf(listOf(choices)[0]);
    if (choice.index !== undefined && choice.index !== 0) return;
    this.#finishReason = finishReasonOf(choice.finish_reason) ?? this.#finishReason;
    this.#parts.addText(choice.text);
    const { content, tool_calls } = fieldsOf(choice.delta);
    this.#parts.addText(content);
    if (tool_calls === undefined) return;
    for (const call of listOf(tool_calls)) {
      const { index, id, function: named, custom } = fieldsOf(call);
      const { name, arguments: args } = fieldsOf(named ?? custom);
      this.#parts.addCall(index, id, name, args ?? fieldsOf(custom).input);
    }
  }

  get isComplete(): boolean {
    return this.#finishReason !== undefined;
  }

  get answer(): AdapterAnswer {
    return {
      usage: this.#usage,
      finishReason: this.#finishReason,
      responseModel: this.#model,
      text: this.#parts.text,
      toolCalls: this.#parts.toolCalls,
    };
  }
}
