import type { AdapterAnswer } from '@hermes-observer/adapter';
import { countOf, type Fields, fieldsOf, finishReasonOf, lastUserMessage, listOf, textOf } from './fields.js';
import type { Protocol, StreamedAnswer } from './protocol.js';
import { StreamedParts } from './streamed-parts.js';

const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call']);

function answerOf(value: unknown): AdapterAnswer {
  const { output, usage, status, model, incomplete_details } = fieldsOf(value);
  const items = listOf(output).map(fieldsOf);
  const calls = items.filter(({ type }) => CALLS.has(type));
  const texts = items
    .filter(({ type }) => type === 'message')
    .flatMap(({ content }) => listOf(content).map((part) => textOf(fieldsOf(part).text) ?? ''));
  const cut = finishReasonOf(fieldsOf(incomplete_details).reason);
  const done = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    usage,
    finishReason: status === 'completed' ? done : (cut ?? (status === 'failed' ? 'error' : textOf(status))),
    responseModel: textOf(model),
    text: textOf(texts.join('')),
    toolCalls: calls.map(({ call_id, name, arguments: args, input }) => ({
      id: textOf(call_id) ?? '',
      name: textOf(name) ?? '',
      arguments: textOf(args) ?? textOf(input) ?? '',
    })),
  };
}

/** OpenAI Responses. */
export const responses: Protocol = {
  apiMode: 'codex_responses',

  asks(body: Fields) {
    const { model, input, instructions, max_output_tokens } = body;
    const said = textOf(input);
    return {
      model: textOf(model),
      messages: said === undefined ? (Array.isArray(input) ? input : undefined) : [{ role: 'user', content: said }],
      systemPrompt: instructions,
      maxTokens: countOf(max_output_tokens),
      userMessage: said ?? lastUserMessage(input),
    };
  },

  answerOf,

  streamed: () => new StreamedResponse(),
};

/** The last event has the whole answer; of one that is left before it the text counts. */
class StreamedResponse implements StreamedAnswer {
  readonly #parts = new StreamedParts();
  #whole: AdapterAnswer | undefined;
  #model: string | undefined;

  add(event: unknown): void {
    const { type, delta, response } = fieldsOf(event);
    if (type === 'response.output_text.delta') this.#parts.addText(delta);
    else if (type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed')
      this.#whole = answerOf(response);
    else if (type === 'response.created') this.#model = textOf(fieldsOf(response).model);
  }

  get isComplete(): boolean {
    return this.#whole !== undefined;
  }

  get answer(): AdapterAnswer {
    return this.#whole ?? { responseModel: this.#model, text: this.#parts.text };
  }
}
