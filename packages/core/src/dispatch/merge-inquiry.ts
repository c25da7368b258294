import type { Payload } from '../contract/record.js';
import type { Inquiry, Taken } from './inquiry.js';
import { fieldsOf } from './inquiry.js';

/** Answer of `pre_transcription`. */
export interface TranscriptionFields {
  /** Fields to use instead of the payload's. */
  fields: { prompt?: string; language?: string; model?: string };
  by: string[];
}

/** Answers are merged in order, a later one wins for a field. Fails open. */
export class TranscriptionInquiry implements Inquiry<TranscriptionFields> {
  readonly #payload: Payload;
  readonly #fields: TranscriptionFields['fields'] = {};
  readonly #by: string[] = [];

  constructor(payload: Payload) {
    this.#payload = payload;
  }

  payload(): Payload {
    return { ...this.#payload, ...this.#fields };
  }

  take(answer: unknown, responder: string): Taken {
    const given = fieldsOf(answer);
    let used = false;
    for (const key of ['prompt', 'language', 'model'] as const) {
      const value = given[key];
      if (typeof value !== 'string') continue;
      this.#fields[key] = value;
      used = true;
    }
    if (!used) return 'malformed';
    this.#by.push(responder);
    return 'next';
  }

  fail(): Taken {
    return 'next';
  }

  result(): TranscriptionFields {
    return { fields: this.#fields, by: this.#by };
  }
}

/** Answer of a hook without rules of its own. */
export interface Answers {
  /** What the responders returned, in order; no opinion left out. */
  answers: unknown[];
  by: string[];
}

export class AnswersInquiry implements Inquiry<Answers> {
  readonly #payload: Payload;
  readonly #result: Answers = { answers: [], by: [] };

  constructor(payload: Payload) {
    this.#payload = payload;
  }

  payload(): Payload {
    return this.#payload;
  }

  take(answer: unknown, responder: string): Taken {
    this.#result.answers.push(answer);
    this.#result.by.push(responder);
    return 'next';
  }

  fail(): Taken {
    return 'next';
  }

  result(): Answers {
    return this.#result;
  }
}
