import type { Failure } from '@hermes-observer/core';
import { type HrTime, millisBetween, now } from '@hermes-observer/core';
import { failureIn, rememberFailure } from '../failure.js';
import { usageOf } from '../usage.js';
import { type HeldContent, hold } from './content.js';
import type { AdapterTurn } from './turn.js';

/** What is asked of a model. */
export interface AdapterRequestInfo {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** Content. */
  readonly messages?: readonly unknown[] | undefined;
  /** Makes of `messages` what the record has, where the framework has a format of its own. Called only if a record is made. */
  readonly recordedMessages?: ((messages: readonly unknown[]) => readonly unknown[]) | undefined;
  /** Content. */
  readonly systemPrompt?: unknown;
  readonly maxTokens?: number | undefined;
  /** Where the provider is reached: its host and port are told. */
  readonly baseUrl?: string | undefined;
  /** Protocol: `chat_completions`, `anthropic_messages`, `codex_responses`, `bedrock_converse`. */
  readonly apiMode?: string | undefined;
  /**
   * The framework tells of requests, not of the attempts in them: what it tries again inside is not seen. Goes out as
   * `logical_call`.
   */
  readonly isLogical?: boolean | undefined;
  /** When it began, where that is known only later. @default now */
  readonly startedAt?: HrTime | undefined;
}

/** What came back. Whatever is not known is left out. */
export interface AdapterAnswer {
  /** In the shape of the framework or the provider: see `usageOf`. */
  readonly usage?: unknown;
  /** In the contract's words: `stop`, `tool_calls`, `length`, `content_filter`, `error`, or another. */
  readonly finishReason?: string | undefined;
  readonly responseModel?: string | undefined;
  /** Content. */
  readonly text?: string | undefined;
  readonly toolCalls?: readonly AskedToolCall[] | undefined;
  /** When it had come, where that is known only later. @default now */
  readonly endedAt?: HrTime | undefined;
}

/** A call that a model asked for. `arguments` is JSON text. */
export interface AskedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

const secondsOf = (time: HrTime): number => time[0] + time[1] / 1e9;

/** One logical request: its attempts, the end of its stream, its answer. Ends once; what comes later counts for nothing. */
export class AdapterRequest {
  readonly id: string;
  /** For the adapter that tells of it: what belongs to it there. */
  owner: object | undefined = undefined;
  readonly #turn: AdapterTurn;
  readonly #info: Pick<
    AdapterRequestInfo,
    'model' | 'provider' | 'recordedMessages' | 'maxTokens' | 'baseUrl' | 'apiMode'
  >;
  readonly #number: number;
  readonly #messageCount: number | undefined;
  readonly #start: HrTime;
  #state: 'running' | 'failed' | 'ended' = 'running';
  #retries = 0;
  #firstChunk: HrTime | undefined = undefined;
  #isLogical: boolean;
  /** Of the last attempt, as long as no answer followed. */
  failure: Failure | undefined = undefined;

  /** The request begins with its first attempt. `isParallel` where others of the turn are under way. */
  constructor(turn: AdapterTurn, info: AdapterRequestInfo, number: number, isParallel: boolean) {
    this.#turn = turn;
    const { messages, systemPrompt, model, provider, recordedMessages, maxTokens, baseUrl, apiMode } = info;
    // What a request keeps is no content: many may never end.
    this.#info = { model, provider, recordedMessages, maxTokens, baseUrl, apiMode };
    this.#messageCount = messages?.length;
    this.#number = number;
    this.#start = info.startedAt ?? now();
    this.#isLogical = info.isLogical === true;
    this.id = `${turn.turnId}:api:${number}`;
    this.#begin(isParallel, this.#start, hold(messages), hold(systemPrompt));
  }

  get isEnded(): boolean {
    return this.#state === 'ended';
  }

  get hasFailed(): boolean {
    return this.#state === 'failed';
  }

  /**
   * Someone below, who sends what the framework asks for, tells of the attempts from here on: with `failed` each one that
   * fails, with `retry` the next. What the framework itself says of a failure then counts once.
   */
  showAttempts(): void {
    this.#isLogical = false;
  }

  /** Another attempt starts, after one that failed; `startedAt` where that is known only later. */
  retry(startedAt?: HrTime): void {
    if (this.#state !== 'failed') return;
    this.#state = 'running';
    this.failure = undefined;
    this.#retries++;
    this.#firstChunk = undefined;
    this.#begin(false, startedAt);
  }

  /** A part of the stream came. */
  chunk(): void {
    this.#firstChunk ??= now();
  }

  /** The attempt failed; another may follow. An abort is no failure and ends the request. */
  failed(error: unknown, signal?: AbortSignal): void {
    if (this.#state !== 'running') return;
    const failure = failureIn(error, signal);
    if (failure.aborted) {
      this.cancelled();
      return;
    }
    this.#state = 'failed';
    this.failure = failure;
    rememberFailure(error, failure);
    const { type, message, statusCode } = failure;
    const retry_count = this.#retries;
    const ended = now();
    this.#turn.emit(
      'api_request_error',
      () => ({
        ...this.#turn.ids(),
        api_request_id: this.id,
        platform: this.#turn.platform,
        model: this.#model,
        provider: this.#info.provider,
        api_call_count: this.#number,
        started_at: secondsOf(this.#start),
        ended_at: secondsOf(ended),
        api_duration: millisBetween(this.#start, ended) / 1000,
        status_code: statusCode,
        retry_count,
        error: { type, message },
      }),
      false,
      ended,
    );
  }

  cancelled(answer: AdapterAnswer = {}): void {
    this.end({ ...answer, finishReason: 'cancelled' });
  }

  end(answer: AdapterAnswer): void {
    if (this.#state !== 'running') {
      this.close();
      return;
    }
    this.close();
    const { finishReason: finish_reason, responseModel: response_model, text } = answer;
    this.#turn.finishReason = finish_reason;
    // These are the program's own: it may go on to change them.
    const usage = this.#turn.guard.safely(() => usageOf(answer.usage));
    const toolCalls = answer.toolCalls?.map((call) => ({ ...call }));
    const firstChunk = this.#firstChunk;
    const ended = answer.endedAt ?? now();
    const told = () => {
      const message =
        text === undefined && toolCalls === undefined
          ? undefined
          : { role: 'assistant', content: text ?? null, ...(toolCalls?.length ? { tool_calls: toolCalls } : {}) };
      const { turnId: turn_id, taskId: task_id, sessionId: session_id, platform } = this.#turn;
      return {
        session_id,
        task_id,
        turn_id,
        api_request_id: this.id,
        platform,
        model: this.#model,
        provider: this.#info.provider,
        api_call_count: this.#number,
        started_at: secondsOf(this.#start),
        ended_at: secondsOf(ended),
        api_duration: millisBetween(this.#start, ended) / 1000,
        first_chunk_at: firstChunk === undefined ? null : secondsOf(firstChunk),
        finish_reason,
        response_model,
        usage,
        response:
          usage === undefined && message === undefined
            ? null
            : { model: response_model, finish_reason, assistant_message: message, usage },
        assistant_content_chars: text?.length ?? 0,
        assistant_tool_call_count: toolCalls?.length ?? 0,
      };
    };
    this.#turn.emit('post_api_request', told, false, ended);
  }

  /** No more comes: a last attempt that failed is the request's end. */
  close(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#turn.requestEnded(this);
  }

  #begin(isParallel: boolean, time: HrTime | undefined, content?: HeldContent, prompt?: HeldContent): void {
    const { maxTokens, baseUrl, apiMode, recordedMessages } = this.#info;
    const isLogical = this.#isLogical;
    const isLive = content?.isLive === true || prompt?.isLive === true;
    const messages = content?.value as AdapterRequestInfo['messages'];
    const retry_count = this.#retries;
    const told = () => {
      const { turnId: turn_id, taskId: task_id, sessionId: session_id, platform } = this.#turn;
      return {
        session_id,
        task_id,
        turn_id,
        api_request_id: this.id,
        platform,
        model: this.#model,
        provider: this.#info.provider,
        api_call_count: this.#number,
        retry_count,
        request_messages:
          messages === undefined || recordedMessages === undefined
            ? messages
            : (this.#turn.guard.safely(() => recordedMessages(messages)) ?? messages),
        system_prompt: prompt?.value,
        message_count: this.#messageCount,
        max_tokens: maxTokens,
        base_url: baseUrl,
        api_mode: apiMode,
        started_at: secondsOf(this.#start),
        parallel: isParallel ? true : undefined,
        logical_call: isLogical ? true : undefined,
      };
    };
    this.#turn.emit('pre_api_request', told, isLive, time);
  }

  get #model(): string | undefined {
    return this.#info.model ?? this.#turn.model;
  }
}
