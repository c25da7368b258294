import type { Payload } from '../contract/record.js';
import type { Inquiry, Taken } from './inquiry.js';
import { failureReason, fieldsOf, refusalReason, textOf } from './inquiry.js';
import type { FailedAnswer } from './time-limit.js';

/** Answer of `pre_tts_synthesis`. */
export interface SpeechDecision {
  decision: 'allow' | 'block';
  /** What to say. */
  text: unknown;
  reason?: string;
  kind?: 'denied' | FailedAnswer;
  /** Who blocked, else who rewrote the text. */
  by: string[];
}

const HOOK = 'pre_tts_synthesis';

/**
 * `{ action: 'block', message }` or `{ text }`; anything else blocks. After a rewrite all are asked once more about the
 * new text; that round may block it and no longer change it.
 */
export class SpeechInquiry implements Inquiry<SpeechDecision> {
  readonly #payload: Payload;
  readonly #writers: string[] = [];
  #text: unknown;
  #rounds = 0;
  #blocked: SpeechDecision | undefined;

  constructor(payload: Payload) {
    this.#payload = payload;
    this.#text = payload.text;
  }

  payload(): Payload {
    return { ...this.#payload, text: this.#text };
  }

  take(answer: unknown, responder: string): Taken {
    const { action, message, text } = fieldsOf(answer);
    const reason = textOf(message);
    if (action === 'block' && reason !== undefined) return this.#block('denied', reason, responder);
    if (action !== undefined || typeof text !== 'string') return 'malformed';
    if (this.#rounds === 0) {
      this.#text = text;
      this.#writers.push(responder);
    }
    return 'next';
  }

  fail(kind: FailedAnswer, responder: string): Taken {
    return this.#block(kind, failureReason(HOOK, kind, responder), responder);
  }

  refuse(responder: string): Taken {
    return this.#block('hook_error', refusalReason(HOOK, responder), responder);
  }

  again(): boolean {
    return this.#rounds++ === 0 && this.#writers.length > 0;
  }

  result(): SpeechDecision {
    return this.#blocked ?? { decision: 'allow', text: this.#text, by: this.#writers };
  }

  #block(kind: 'denied' | FailedAnswer, reason: string, responder: string): Taken {
    this.#blocked = { decision: 'block', text: this.#text, reason, kind, by: [responder] };
    return 'decided';
  }
}
