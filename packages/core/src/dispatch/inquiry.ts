import type { Payload } from '../contract/record.js';
import type { FailedAnswer } from './time-limit.js';

/** What an answer did: nothing yet decided, all decided, or no known shape: then it is counted, and ignored or `refuse`d. */
export type Taken = 'next' | 'decided' | 'malformed';

/** One question to the responders of a hook, while it is asked: what each one sees, and what follows from their answers. */
export interface Inquiry<Result> {
  /** What the next responder gets. */
  payload(): Payload;
  /** `answer` is neither `undefined` nor `null`, which mean no opinion. May throw where reading the answer does. */
  take(answer: unknown, responder: string): Taken;
  /** The responder threw, ran out of time or was aborted. */
  fail(kind: FailedAnswer, responder: string, error: unknown): Taken;
  /** An answer had no known shape: a guard that cannot be understood blocks. Absent: it is ignored. */
  refuse?(responder: string): Taken;
  /** Whether all are asked once more. Called after each round; absent: no. */
  again?(): boolean;
  result(): Result;
}

/** A non-blank text, else `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Fields of an answer that is an object; no fields for any other. */
export function fieldsOf(answer: unknown): Record<string, unknown> {
  return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
}

const WHAT_FAILED: Readonly<Record<FailedAnswer, string>> = {
  hook_error: 'failed',
  hook_timeout: 'did not answer in time',
  hook_aborted: 'was aborted',
};

/** Reason given for a guard that gave no answer. Without its error's text, which may quote what it was asked about. */
export function failureReason(hook: string, kind: FailedAnswer, responder: string): string {
  return `${hook} guard ${responder} ${WHAT_FAILED[kind]}`;
}

/** Reason given for a guard whose answer is none. */
export function refusalReason(hook: string, responder: string): string {
  return `${hook} guard ${responder} gave an answer of no known shape`;
}
