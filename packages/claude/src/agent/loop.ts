import type { AdapterRequest, AdapterTurn } from '@hermes-observer/adapter';
import { type HrTime, now } from '@hermes-observer/core';
import { type Fields, fieldsOf, numberOf, textOf } from '../sdk/fields.js';
import { ModelMessage } from '../sdk/model-message.js';

/** How an answer failed for good. */
interface FailedAnswer {
  readonly name: string;
  readonly message?: string | undefined;
  readonly statusCode?: number | undefined;
}

const BROKEN: FailedAnswer = { name: 'stream_interrupted' };

/**
 * One agent at work: the main one in a turn, or a subagent. It asks the model when it has its prompt, and again after each batch
 * of tools; of a subagent no more is told than its answers, and not always those.
 */
export class AgentLoop {
  readonly turn: AdapterTurn;
  readonly #provider: string;
  readonly #hasMessages: boolean;
  model: string | undefined;
  #request: AdapterRequest | undefined = undefined;
  #message: ModelMessage | undefined = undefined;
  #waitsSince: HrTime | undefined = undefined;
  #retriesAt: HrTime | undefined = undefined;
  #failure: FailedAnswer | undefined = undefined;
  #hasEnded = false;

  /** @param hasMessages its requests are told of at all */
  constructor(turn: AdapterTurn, provider: string, model: string | undefined, hasMessages: boolean) {
    this.#hasMessages = hasMessages;
    this.turn = turn;
    this.#provider = provider;
    this.model = model;
  }

  /** The next request is due: whenever more is known of it, it began about now. */
  waits(): void {
    if (!this.#hasMessages) return;
    this.settle();
    this.#waitsSince = now();
  }

  get isWaiting(): boolean {
    return this.#waitsSince !== undefined || (this.#request !== undefined && !this.#request.isEnded);
  }

  /** It goes out now. */
  requests(): void {
    this.settle();
    this.#waitsSince = undefined;
    this.#open(this.model);
  }

  /** An attempt failed, and another follows after a pause. */
  retries({ error, error_status, retry_delay_ms }: Fields): void {
    this.#attempt(this.model);
    this.#message = undefined;
    this.#request?.failed({ name: textOf(error) ?? 'unknown', statusCode: numberOf(error_status) });
    this.#retriesAt = later(numberOf(retry_delay_ms) ?? 0);
  }

  /** An event of the answer's stream. */
  event(event: Fields): void {
    const { type } = event;
    if (type === 'message_start') {
      this.#begin(fieldsOf(event.message));
      if (this.#message !== undefined) this.#message.isStreamed = true;
      return;
    }
    const message = this.#message;
    if (message === undefined) return;
    if (type === 'message_delta') message.delta(event);
    else if (type === 'message_stop') {
      if (message.stopReason !== undefined) this.#finish();
    } else this.#request?.chunk();
  }

  /** Blocks of an answer. */
  assistant({ message: given, error, aborted }: Fields): void {
    const message = fieldsOf(given);
    const isError = textOf(error) !== undefined || message.model === '<synthetic>';
    if (isError) {
      const [first] = Array.isArray(message.content) ? message.content : [];
      this.#failure = { name: textOf(error) ?? 'unknown', message: textOf(fieldsOf(first).text) };
      return;
    }
    if (this.#message === undefined || this.#message.id !== textOf(message.id)) {
      // Blocks may come once more after the end.
      if (this.#lastId !== undefined && this.#lastId === textOf(message.id)) return;
      this.#begin(message);
    }
    const current = this.#message;
    if (current === undefined) return;
    current.add(message);
    current.lastPart = now();
    if (!current.isStreamed && current.stopReason !== undefined && aborted !== true) this.#finish();
  }

  /** Something follows that comes only when the answer is whole. */
  settle(): void {
    if (this.#message !== undefined && !this.#message.isStreamed) this.#finish(this.#message.lastPart);
  }

  /**
   * The agent has ended. A subagent's last answer may be known by that alone. `usage` is that of its last request.
   * `statusCode`: of its last answer, if that failed.
   */
  ends({
    text,
    usage,
    at,
    statusCode,
  }: {
    text?: string | undefined;
    usage?: Fields;
    at?: HrTime | undefined;
    statusCode?: number | undefined;
  }): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#failure !== undefined) {
      this.#attempt(this.model);
      this.#request?.failed({ ...this.#failure, statusCode });
      return;
    }
    if (this.#message !== undefined) {
      if (this.#message.isStreamed && this.#message.stopReason === undefined) return;
      this.#finish(this.#message.lastPart ?? at, usage);
    } else if (this.#waitsSince !== undefined && text !== undefined) {
      this.#open(this.model);
      this.#request?.end({ usage, text, finishReason: 'stop', endedAt: at });
    }
  }

  /** The failure that the turn ends with, if it does. */
  get failure(): FailedAnswer | undefined {
    return this.#failure;
  }

  #lastId: string | undefined = undefined;

  #begin(message: Fields): void {
    const old = this.#message;
    if (old !== undefined) {
      if (old.isStreamed && old.stopReason === undefined) this.#request?.failed(BROKEN);
      else this.#finish(old.lastPart);
    }
    this.#attempt(textOf(message.model) ?? this.model);
    this.#message = new ModelMessage(message);
  }

  /** There is an attempt under way: the first of a request, or the next of one that failed. */
  #attempt(model: string | undefined): void {
    if (this.#request === undefined || this.#request.isEnded) this.#open(model);
    else if (this.#request.hasFailed) this.#request.retry(earlier(this.#retriesAt));
    this.#retriesAt = undefined;
  }

  #open(model: string | undefined): void {
    this.#request = this.turn.request({ model, provider: this.#provider, startedAt: this.#waitsSince });
    this.#message = undefined;
    this.#waitsSince = undefined;
  }

  #finish(endedAt?: HrTime, usage?: Fields): void {
    const message = this.#message;
    this.#message = undefined;
    this.#lastId = message?.id;
    this.model = message?.model ?? this.model;
    if (message !== undefined) {
      const answer = message.answer(usage);
      this.#request?.end({
        ...answer,
        endedAt,
        finishReason: answer.finishReason ?? (this.#hasEnded ? 'stop' : undefined),
      });
    }
    this.#request = undefined;
  }
}

function later(millis: number): HrTime {
  const [seconds, nanos] = now();
  const all = nanos + Math.round(millis * 1e6);
  return [seconds + Math.floor(all / 1e9), all % 1e9];
}

/** A time that was foreseen, unless it has not come. */
function earlier(time: HrTime | undefined): HrTime | undefined {
  if (time === undefined) return undefined;
  const [seconds, nanos] = now();
  return seconds < time[0] || (seconds === time[0] && nanos < time[1]) ? undefined : time;
}
