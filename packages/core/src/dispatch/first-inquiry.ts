import type { Payload } from '../contract/record.js';
import type { Inquiry, Taken } from './inquiry.js';
import { fieldsOf, textOf } from './inquiry.js';

/** The first answer that `read` accepts decides; without one the answer is `otherwise`. Fails open. */
export class FirstInquiry<Result> implements Inquiry<Result> {
  readonly #payload: Payload;
  readonly #read: (answer: unknown, responder: string) => Result | undefined;
  #result: Result;

  constructor(payload: Payload, otherwise: Result, read: (answer: unknown, responder: string) => Result | undefined) {
    this.#payload = payload;
    this.#result = otherwise;
    this.#read = read;
  }

  payload(): Payload {
    return this.#payload;
  }

  take(answer: unknown, responder: string): Taken {
    const result = this.#read(answer, responder);
    if (result === undefined) return 'malformed';
    this.#result = result;
    return 'decided';
  }

  fail(): Taken {
    return 'next';
  }

  result(): Result {
    return this.#result;
  }
}

/** Answer of `pre_verify`. */
export interface VerifyDecision {
  /** The turn goes on, with `message` for the model. */
  continue: boolean;
  message?: string;
  by?: string;
}

/** `{ action | decision: 'continue' | 'block', message | reason }`: both let the turn go on. */
export function readVerify(answer: unknown, by: string): VerifyDecision | undefined {
  const fields = fieldsOf(answer);
  const action = fields.action ?? fields.decision;
  const message = textOf(fields.message) ?? textOf(fields.reason);
  if ((action !== 'continue' && action !== 'block') || message === undefined) return undefined;
  return { continue: true, message, by };
}

/** Answer of `pre_gateway_dispatch`. */
export interface GatewayDecision {
  action: 'allow' | 'skip' | 'rewrite';
  /** New text of the message, of a rewrite. */
  text?: string;
  /** Of a skip. */
  reason?: string;
  by?: string;
}

export function readGateway(answer: unknown, by: string): GatewayDecision | undefined {
  const { action, text, reason } = fieldsOf(answer);
  if (action === 'allow') return { action, by };
  if (action === 'rewrite') return typeof text === 'string' ? { action, text, by } : undefined;
  if (action !== 'skip') return undefined;
  const why = textOf(reason);
  return why === undefined ? { action, by } : { action, reason: why, by };
}

/** Answer of `transform_api_error_classification`. */
export interface ErrorClassification {
  /** The responder's object; has a `reason`. Absent: the agent's own classification stands. */
  classification?: Record<string, unknown>;
  by?: string;
}

export function readClassification(answer: unknown, by: string): ErrorClassification | undefined {
  const fields = fieldsOf(answer);
  return textOf(fields.reason) === undefined ? undefined : { classification: fields, by };
}
