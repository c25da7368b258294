import { contractUsage, fieldsOf } from '@hermes-observer/core';
import { type Answer, finishReason, readAnswer } from './answer.js';

/** Text kept of a streamed answer, in UTF-16 units; what is longer is cut. */
const LONGEST_TEXT = 1_000_000;
const MOST_TOOL_CALLS = 256;

interface ToolCall {
  id: unknown;
  name: unknown;
  arguments: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Puts an answer together from its chunks: those of OpenAI chat completions (usage stands in the last one, if the request
 * asked for it), the events of OpenAI Responses and of Anthropic messages, or plain text. Other chunks say nothing.
 */
export class StreamedAnswer {
  #usage: Fields | undefined = undefined;
  #whole: Answer | undefined = undefined;
  #finishReason: string | undefined = undefined;
  #model: string | undefined = undefined;
  #text = '';
  #characters = 0;
  readonly #toolCalls = new Map<unknown, ToolCall>();

  add(value: unknown): void {
    if (typeof value === 'string') {
      this.#addText(value);
      return;
    }
    const chunk = fieldsOf(value);
    if (Array.isArray(chunk.choices)) this.#addCompletionChunk(chunk, fieldsOf(chunk.choices[0]));
    else if (typeof chunk.type === 'string') this.#addEvent(chunk.type, chunk);
  }

  #addCompletionChunk(chunk: Fields, choice: Fields): void {
    this.#setModel(chunk.model);
    if (typeof chunk.usage === 'object' && chunk.usage !== null) this.#usage = chunk.usage as Fields;
    this.#finishReason = finishReason(choice.finish_reason) ?? this.#finishReason;
    const delta = fieldsOf(choice.delta);
    if (typeof delta.content === 'string') this.#addText(delta.content);
    for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
      const { index, id, function: named } = fieldsOf(call);
      this.#addToolCall(index, id, fieldsOf(named).name, fieldsOf(named).arguments);
    }
  }

  #addEvent(type: string, event: Fields): void {
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#whole = readAnswer(event.response);
        break;
      case 'response.output_text.delta':
        if (typeof event.delta === 'string') this.#addText(event.delta);
        break;
      case 'message_start': {
        const message = fieldsOf(event.message);
        this.#setModel(message.model);
        this.#usage = fieldsOf(message.usage);
        break;
      }
      case 'content_block_start': {
        const block = fieldsOf(event.content_block);
        if (block.type === 'tool_use') this.#addToolCall(event.index, block.id, block.name, '');
        break;
      }
      case 'content_block_delta': {
        const delta = fieldsOf(event.delta);
        if (delta.type === 'text_delta' && typeof delta.text === 'string') this.#addText(delta.text);
        if (delta.type === 'input_json_delta') this.#addToolCall(event.index, undefined, undefined, delta.partial_json);
        break;
      }
      case 'message_delta':
        this.#finishReason = finishReason(fieldsOf(event.delta).stop_reason) ?? this.#finishReason;
        this.#usage = { ...this.#usage, ...known(fieldsOf(event.usage)) };
        break;
    }
  }

  #setModel(model: unknown): void {
    if (typeof model === 'string' && model !== '') this.#model ??= model;
  }

  #addText(text: string): void {
    this.#characters += text.length;
    if (this.#text.length < LONGEST_TEXT) this.#text += text.slice(0, LONGEST_TEXT - this.#text.length);
  }

  #addToolCall(index: unknown, id: unknown, name: unknown, args: unknown): void {
    let call = this.#toolCalls.get(index);
    if (call === undefined) {
      if (this.#toolCalls.size >= MOST_TOOL_CALLS) return;
      call = { id, name, arguments: '' };
      this.#toolCalls.set(index, call);
    }
    if (typeof args === 'string' && call.arguments.length + args.length <= LONGEST_TEXT) call.arguments += args;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  answer(): Answer {
    if (this.#whole !== undefined) return this.#whole;
    const calls = [...this.#toolCalls.values()];
    const isEmpty = this.#text === '' && calls.length === 0;
    return {
      usage: contractUsage(this.#usage),
      finishReason: this.#finishReason,
      responseModel: this.#model,
      message: isEmpty
        ? undefined
        : { role: 'assistant', content: this.#text, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
      toolCalls: calls.length,
      characters: this.#characters,
    };
  }
}

/** Counts that are told; Anthropic repeats some as null. */
const known = (usage: Fields): Fields =>
  Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
