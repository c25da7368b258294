import {
  type AdapterRequest,
  type AdapterTool,
  type Guard,
  onAbort,
  type Scope,
  type ScopeEntry,
  type ScopeStore,
} from '@hermes-observer/adapter';
import { type HrTime, now } from '@hermes-observer/core';
import { type Fields, fieldsOf, recordsInputs, recordsOutputs, textOf } from '../sdk/events.js';
import { isInSpanOfSdk } from '../sdk/framework-spans.js';
import { asVersion7, toolResultOf } from '../sdk/version-6.js';
import { type Run, withoutText } from './run.js';
import type { AiSdkTracing } from './tracing.js';

/** An observer, as runs of AI SDK 6 need it. */
export interface Watcher {
  readonly tracing: AiSdkTracing;
  readonly scopes: ScopeStore;
  readonly entry: ScopeEntry;
  readonly guard: Guard;
}

/** How long a run that has failed is waited for, in milliseconds: 6 does not tell that a run has thrown. */
const GRACE_MS = 250;

/** By turn; by request, of those whose attempts are seen by HTTP. */
const handlersOfTurns = new WeakMap<object, Handlers6>();
const handlersOfRequests = new WeakMap<AdapterRequest, Handlers6>();

/**
 * Hears of one run of AI SDK 6, whose events do not say which run they are of. They come in the SDK's own asynchronous
 * functions, so what is entered here holds for what these call next.
 */
export class Handlers6 {
  /** Handlers whose attempts a middleware tells, or HTTP: those of the scope the code runs in. */
  static of(scope: Scope | undefined): Handlers6 | undefined {
    return scope === undefined || scope.tool !== undefined ? undefined : handlersOfTurns.get(scope.turn);
  }

  static ofRequest(request: AdapterRequest): Handlers6 | undefined {
    return handlersOfRequests.get(request);
  }

  readonly #watcher: Watcher;
  readonly #tools = new Map<unknown, AdapterTool>();
  #run: Run | undefined;
  #request: AdapterRequest | undefined;
  #event: Fields = {};
  /** When the first tool of a step started: the answer of its model had come. */
  #answeredAt: HrTime | undefined;
  #signal: AbortSignal | undefined;
  #ignoreAbort: (() => void) | undefined;
  #maxRetries = 0;
  #attempts = 0;

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
  }

  start(event: Fields): void {
    const { tracing, scopes, entry } = this.#watcher;
    const run = tracing.begin(asVersion7(event), scopes.getStore());
    if (run === undefined) return;
    this.#run = run;
    run.left = () => this.#endsSoon(undefined, true);
    handlersOfTurns.set(run.turn, this);
    this.#maxRetries = typeof event.maxRetries === 'number' ? event.maxRetries : 2;
    if (event.abortSignal instanceof AbortSignal) {
      this.#signal = event.abortSignal;
      this.#ignoreAbort = onAbort(this.#signal, this.#aborted);
    }
    entry.enter({ turn: run.turn });
  }

  stepStart(event: Fields): void {
    const run = this.#open;
    if (run === undefined) return;
    const { tracing, entry } = this.#watcher;
    if (isInSpanOfSdk()) tracing.tellOfOwnSpans();
    this.#event = asVersion7(event);
    run.step();
    this.#attempts = 0;
    this.#answeredAt = undefined;
    this.#request = run.attempt(this.#event, true);
    handlersOfRequests.set(this.#request, this);
    entry.enter({ turn: run.turn, request: this.#request });
  }

  toolStart(event: Fields): void {
    const run = this.#open;
    if (run === undefined) return;
    this.#answeredAt ??= now();
    const tool = run.tool(asVersion7(event));
    this.#tools.set(tool.callId, tool);
    this.#watcher.entry.enter({ turn: run.turn, tool });
  }

  toolEnd(event: Fields): void {
    const callId = textOf(fieldsOf(event.toolCall).toolCallId);
    const tool = this.#tools.get(callId);
    this.#tools.delete(callId);
    if (tool === undefined) return;
    const as7 = asVersion7(event);
    const error = isHidden(as7) ? withoutText(event.error) : event.error;
    this.#run?.toolEnded(tool, as7, toolResultOf({ ...event, error }));
  }

  /** A step ended: its answer is told with it, after its tools. */
  stepEnd(event: Fields): void {
    const run = this.#open;
    if (run === undefined) return;
    const as7 = asVersion7(event);
    if (this.#request !== undefined) {
      if (isBroken(event)) this.#request.failed(undefined);
      run.answered(this.#request, as7, event, this.#answeredAt);
    }
    this.#watcher.tracing.stepEnded(run, event.content, as7);
  }

  end(): void {
    this.#close();
  }

  /** A middleware calls the model: an attempt. Gives its request; `undefined` where another one is under way. */
  attempt(): AdapterRequest | undefined {
    const request = this.#request;
    if (this.#open === undefined || request === undefined || request.isEnded) return undefined;
    if (this.#attempts > 0 && !request.hasFailed) return undefined;
    this.#attempts++;
    handlersOfRequests.delete(request);
    request.showAttempts();
    request.retry();
    return request;
  }

  /** The model answered, or gave the stream of an answer. */
  answered(request: AdapterRequest, result: unknown): void {
    this.#open?.answered(request, this.#event, result);
  }

  /** The model threw. Unless the SDK tries again, the run throws next. */
  failed(request: AdapterRequest, error: unknown): void {
    if (isHidden(this.#event)) this.#run?.failedHidden(request, error);
    else request.failed(error, this.#signal);
    const isTriedAgain = fieldsOf(error).isRetryable === true && this.#attempts <= this.#maxRetries;
    if (!isTriedAgain || this.#signal?.aborted === true) this.#endsSoon(error, false);
  }

  /** A request over HTTP failed, of which no middleware tells. */
  httpFailed(request: AdapterRequest, error: unknown, isTriedAgain: boolean): void {
    if (request !== this.#request) return;
    this.#attempts++;
    if (isTriedAgain && this.#attempts <= this.#maxRetries) return;
    request.failed(error);
    setTimeout(() => {
      this.#watcher.guard.safely(() => {
        if (request.hasFailed) this.#close(error);
      });
    }, GRACE_MS);
  }

  get scope(): Scope | undefined {
    return this.#run === undefined ? undefined : { turn: this.#run.turn, request: this.#request };
  }

  get #open(): Run | undefined {
    return this.#run?.turn.isEnded === false ? this.#run : undefined;
  }

  readonly #aborted = () => {
    const reason: unknown = this.#signal?.reason;
    const isTimeout = fieldsOf(reason).name === 'TimeoutError';
    this.#endsSoon(isTimeout ? reason : undefined, !isTimeout);
  };

  /** What comes in the same moment still counts, another attempt above all. */
  #endsSoon(error: unknown, isInterrupted: boolean): void {
    const attempts = this.#attempts;
    setImmediate(() => {
      this.#watcher.guard.safely(() => {
        if (attempts === this.#attempts) this.#close(error, isInterrupted);
      });
    });
  }

  #close(error?: unknown, isInterrupted = false): void {
    this.#ignoreAbort?.();
    if (this.#open !== undefined) this.#run?.end(error, isInterrupted);
  }
}

/** A stream that gave an error ends its step all the same, without usage. What the error was is not told. */
const isBroken = ({ finishReason, usage }: Fields): boolean =>
  finishReason === 'error' && fieldsOf(usage).inputTokens === undefined;

const isHidden = (event: Fields): boolean => !recordsInputs(event) || !recordsOutputs(event);
