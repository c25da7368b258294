import { ObserverError } from '@hermes-observer/core';
import type { AskPort } from '../service/ports.js';
import type { Operation } from './line-reader.js';

const LONGEST_ID = 256;
const LONGEST_WAIT_MILLIS = 10 * 60_000;
const USUAL_WAIT_MILLIS = 5_000;

/** A question for the guards as a client puts it. */
export interface Question {
  readonly id: string | number;
  readonly hook: string;
  readonly payload: unknown;
  readonly timeoutMs: number;
}

/** @throws ObserverError `HO_REQUEST`. */
export function questionOf(operation: Operation): Question {
  const { id, hook, payload, deadline_ms: deadline } = operation;
  if (!isId(id)) throw new ObserverError('HO_REQUEST', `ask needs an id: a number, or a text of at most ${LONGEST_ID}`);
  if (typeof hook !== 'string' || hook === '') throw new ObserverError('HO_REQUEST', 'ask needs the name of a hook');
  const wait = typeof deadline === 'number' && deadline > 0 ? deadline : USUAL_WAIT_MILLIS;
  return { id, hook, payload: payload ?? {}, timeoutMs: Math.min(wait, LONGEST_WAIT_MILLIS) };
}

export function isId(id: unknown): id is string | number {
  return (typeof id === 'string' && id.length <= LONGEST_ID) || Number.isSafeInteger(id);
}

/** The line that answers. */
export async function answerTo(
  question: Question,
  port: AskPort,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { id, hook, payload, timeoutMs } = question;
  return { answer: id, ...(await port.ask(hook, payload, { timeoutMs, signal })) };
}
