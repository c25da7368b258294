import type { AdapterAnswer, AdapterRequestInfo } from '@hermes-observer/adapter';
import type { Fields } from './fields.js';

/** An answer that comes in parts. */
export interface StreamedAnswer {
  add(part: unknown): void;
  /** Whether all that says how the answer ended has come. */
  readonly isComplete: boolean;
  readonly answer: AdapterAnswer;
}

/** How one kind of generation is asked for and answered. */
export interface Protocol {
  readonly apiMode: string;
  /** What a request asks for, of its body. */
  asks(body: Fields): AdapterRequestInfo & { readonly userMessage: string | readonly unknown[] | undefined };
  answerOf(value: unknown): AdapterAnswer;
  streamed(): StreamedAnswer;
}
