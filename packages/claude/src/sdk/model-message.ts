import type { AdapterAnswer, AskedToolCall } from '@hermes-observer/adapter';
import type { HrTime } from '@hermes-observer/core';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';

const FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

const counts = (usage: unknown) => Object.entries(fieldsOf(usage)).filter(([, count]) => count != null);

/**
 * An answer of the model, put together of what Claude Code tells of it: the events of its stream, if it does, and a message for
 * each of its blocks, whose usage is that of the answer's begin.
 */
export class ModelMessage {
  readonly id: string | undefined;
  readonly model: string | undefined;
  /** Events of its stream were seen: without its end it is not whole. */
  isStreamed = false;
  /** `null` until the answer has ended. */
  stopReason: string | undefined = undefined;
  /** When the last part of it came. */
  lastPart: HrTime | undefined = undefined;
  #usage: Record<string, unknown> = {};
  #text: string | undefined = undefined;
  readonly #toolCalls: AskedToolCall[] = [];

  constructor(message: Fields) {
    this.id = textOf(message.id);
    this.model = textOf(message.model);
    this.#count(message);
  }

  /** `message_start`, `message_delta`, or a message: its counts so far. */
  #count({ usage, stop_reason, delta }: Fields): void {
    this.#usage = { ...this.#usage, ...Object.fromEntries(counts(usage)) };
    this.stopReason = textOf(stop_reason) ?? textOf(fieldsOf(delta).stop_reason) ?? this.stopReason;
  }

  delta(event: Fields): void {
    this.#count(event);
  }

  /** Blocks of it, complete. */
  add(message: Fields): void {
    if (textOf(message.stop_reason) !== undefined) this.#count(message);
    for (const block of listOf(message.content).map(fieldsOf)) {
      const { type, text, id, name, input } = block;
      if (type === 'text' && typeof text === 'string') this.#text = (this.#text ?? '') + text;
      const callId = textOf(id);
      if (type === 'tool_use' && callId !== undefined) {
        // Made text of when somebody records it.
        const asked = { id: callId, name: textOf(name) ?? 'unknown' };
        this.#toolCalls.push(
          Object.defineProperty(asked, 'arguments', { get: () => json(input), enumerable: true }) as never,
        );
      }
    }
  }

  answer(usage?: Fields): AdapterAnswer {
    const { output_tokens: _, ...known } = this.#usage;
    return {
      // What came with the answer's begin says nothing of its output.
      usage: usage ?? (this.stopReason === undefined ? known : this.#usage),
      finishReason: finishReasonOf(this.stopReason) ?? (this.#toolCalls.length > 0 ? 'tool_calls' : undefined),
      responseModel: this.model,
      text: this.#text,
      toolCalls: this.#toolCalls,
    };
  }
}

export const finishReasonOf = (reason: string | undefined): string | undefined =>
  reason === undefined ? undefined : (FINISH[reason] ?? reason);

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
