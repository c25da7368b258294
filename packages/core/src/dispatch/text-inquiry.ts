import type { Payload } from '../contract/record.js';
import type { Inquiry, Taken } from './inquiry.js';
import { fieldsOf, textOf } from './inquiry.js';

/** Answer of `transform_tool_result`, `transform_terminal_output`, `transform_llm_output`. */
export interface TransformedText {
  /** The new text, or the payload's own value where no responder gave one. */
  value: unknown;
  /** Name of the responder whose text it is. Absent: unchanged. */
  by?: string;
}

/** The first string wins; a responder that fails or returns something else leaves the value alone. */
export class TransformInquiry implements Inquiry<TransformedText> {
  readonly #payload: Payload;
  readonly #emptyCounts: boolean;
  #result: TransformedText;

  /** `key` holds the value; `emptyCounts` tells whether `''` is an answer. */
  constructor(payload: Payload, key: string, emptyCounts: boolean) {
    this.#payload = payload;
    this.#emptyCounts = emptyCounts;
    this.#result = { value: payload[key] };
  }

  payload(): Payload {
    return this.#payload;
  }

  take(answer: unknown, responder: string): Taken {
    if (typeof answer !== 'string') return 'malformed';
    if (answer === '' && !this.#emptyCounts) return 'next';
    this.#result = { value: answer, by: responder };
    return 'decided';
  }

  fail(): Taken {
    return 'next';
  }

  result(): TransformedText {
    return this.#result;
  }
}

/** Answer of `pre_llm_call`. */
export interface AddedContext {
  /** To be appended to the user's message; pieces in order, joined by a blank line. Absent: nothing. */
  context?: string;
  by: string[];
}

/** Collects every non-blank string and every `{ context }` that is not empty. */
export class ContextInquiry implements Inquiry<AddedContext> {
  readonly #payload: Payload;
  readonly #pieces: string[] = [];
  readonly #by: string[] = [];

  constructor(payload: Payload) {
    this.#payload = payload;
  }

  payload(): Payload {
    return this.#payload;
  }

  take(answer: unknown, responder: string): Taken {
    const piece = typeof answer === 'string' ? textOf(answer) : contextOf(answer);
    if (piece === undefined) return typeof answer === 'string' ? 'next' : 'malformed';
    this.#pieces.push(piece);
    this.#by.push(responder);
    return 'next';
  }

  fail(): Taken {
    return 'next';
  }

  result(): AddedContext {
    return this.#pieces.length === 0 ? { by: [] } : { context: this.#pieces.join('\n\n'), by: this.#by };
  }
}

function contextOf(answer: unknown): string | undefined {
  const { context } = fieldsOf(answer);
  if (!context) return undefined;
  return typeof context === 'string' ? context : (JSON.stringify(context) ?? undefined);
}
