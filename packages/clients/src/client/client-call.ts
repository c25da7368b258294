import {
  type AdapterAnswer,
  type AdapterRequest,
  type AdapterTurn,
  failureIn,
  rememberFailure,
  type Scope,
} from '@hermes-observer/adapter';
import { fieldsOf } from '../answer/fields.js';
import type { Protocol, StreamedAnswer } from '../answer/protocol.js';
import { openCalls } from './open-calls.js';
import type { Watcher } from './watcher.js';

/** What a client throws where nothing comes in time, or not all of it. */
const TIMEOUT = { name: 'APIConnectionTimeoutError', message: 'Request timed out.' };

interface CallParts {
  readonly turn: AdapterTurn;
  readonly request: AdapterRequest;
  /** The request is that of a framework which calls the client: its attempts are told, its end is not ours. */
  readonly isOfFramework: boolean;
  /** The turn is this request alone. */
  readonly isWholeTurn?: boolean | undefined;
  /** The provider keeps the answer: another request may go on from it. */
  readonly isKept?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One call of a client for one observer: its attempts, and how it ended. */
export class ClientCall {
  readonly guard: Watcher['guard'];
  readonly isWholeTurn: boolean;
  readonly #scopes: Watcher['scopes'];
  readonly #scope: Scope;
  readonly #watcher: Watcher;
  readonly #protocol: Protocol;
  readonly #turn: AdapterTurn;
  readonly #request: AdapterRequest;
  readonly #isOfFramework: boolean;
  readonly #isKept: boolean;
  readonly #signal: AbortSignal | undefined;
  /** How the last attempt failed, until it is known whether the client tries again. */
  #failure: unknown;
  #isEnded = false;

  constructor(
    watcher: Watcher,
    protocol: Protocol,
    { turn, request, isOfFramework, isWholeTurn, isKept, signal }: CallParts,
  ) {
    this.guard = watcher.guard;
    this.#scopes = watcher.scopes;
    this.#scope = { turn, request };
    this.#watcher = watcher;
    this.#protocol = protocol;
    this.#turn = turn;
    this.#request = request;
    this.#isOfFramework = isOfFramework;
    this.isWholeTurn = isWholeTurn === true;
    this.#isKept = isKept === true;
    this.#signal = signal;
    if (isOfFramework) request.showAttempts();
    else openCalls.add(turn);
  }

  /** Calls `fn` at once in the scope of the request. */
  enter<T>(fn: () => T): T {
    if (!this.isWholeTurn) return this.#scopes.run(this.#scope, fn);
    return this.#scopes.getStore() === this.#scope ? fn() : this.#scopes.runBriefly(this.#scope, fn);
  }

  /** An attempt starts. */
  attempt(): void {
    this.#tellFailure();
    if (!this.#isEnded && this.#request.hasFailed) this.#request.retry();
  }

  /** The attempt was answered with a status that says it failed. */
  refused(status: number): void {
    this.#failure = { status };
  }

  /** The attempt was not answered at all. */
  broke(error: unknown): void {
    // A client gives an attempt up after a time by aborting it: that is nobody's wish.
    const failure = failureIn(error);
    const isTimeout = failure.aborted && this.#signal?.aborted !== true;
    this.#failure = isTimeout ? TIMEOUT : error;
    // What the client throws in the end has this as its cause.
    if (!failure.aborted) rememberFailure(error, failure);
  }

  /** The client tries again: the attempt before has failed. One that was answered well took too long to read. */
  retrying(): void {
    this.#failure ??= TIMEOUT;
    this.#tellFailure();
  }

  #tellFailure(): void {
    const failure = this.#failure;
    if (failure === undefined || this.#isEnded) return;
    this.#failure = undefined;
    this.#request.failed(failure);
  }

  /** The client gave up, and throws. */
  failed(error: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#isOfFramework) {
      if (this.#failure !== undefined && !failureIn(error).aborted) this.#request.failed(error);
      return;
    }
    this.#request.failed(error);
    this.#close({ error });
  }

  /** The whole answer. */
  answered(value: unknown): void {
    if (this.#isEnded) return;
    if (this.#isKept) this.#watcher.answered(this.#turn, value);
    this.ended(this.#protocol.answerOf(value));
  }

  ended(answer: AdapterAnswer): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#isOfFramework) return;
    this.#request.end(answer);
    this.#close({ answer: answer.text });
  }

  /** The answer was not waited for: the program aborted it, or left its stream. */
  cancelled(answer: AdapterAnswer): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#isOfFramework) return;
    this.#request.cancelled(answer);
    this.#close({ answer: answer.text, isInterrupted: true });
  }

  streamed(): StreamedAnswer {
    return this.#protocol.streamed();
  }

  /** Another part of the stream. */
  part(answer: StreamedAnswer, part: unknown): void {
    if (this.#isEnded || this.#isOfFramework) return;
    this.#request.chunk();
    answer.add(part);
    if (!this.#isKept) return;
    const { response, message } = fieldsOf(part);
    if (response !== undefined || message !== undefined) this.#watcher.answered(this.#turn, response ?? message);
  }

  #close(end: Parameters<AdapterTurn['end']>[0]): void {
    this.#request.close();
    if (this.isWholeTurn) this.#turn.end(end);
    openCalls.remove(this.#turn, end?.answer);
  }
}
