import {
  contractUsage,
  type Failure,
  fieldsOf,
  type HrTime,
  millisBetween,
  now,
  type TokenUsage,
} from '@hermes-observer/core';
import { ActiveSpan } from './active-span.js';
import { type Answer, finishReason, lengthOf, readAnswer } from './answer.js';
import { followInTurn } from './follow.js';
import { readFields } from './read-fields.js';
import { quietly, settle } from './settle.js';
import { StreamedAnswer } from './streamed-answer.js';
import type { TurnState } from './turn-state.js';

/** What is asked of a model. */
export interface RequestInfo {
  /** @default the turn's */
  readonly model?: string | undefined;
  /** Such as `openai` or `anthropic`. @default the turn's */
  readonly provider?: string | undefined;
  /** Where it goes: host and port become `server.address` and `server.port`. */
  readonly baseUrl?: string | undefined;
  /** Protocol, such as `chat_completions` or `anthropic_messages`. */
  readonly apiMode?: string | undefined;
  /** Messages of the request, in the provider's shape. Content. */
  readonly messages?: readonly unknown[] | undefined;
  /** Content. */
  readonly systemPrompt?: string | readonly unknown[] | undefined;
  readonly maxTokens?: number | undefined;
  /** Stops the request. The turn's signal counts as well. */
  readonly signal?: AbortSignal | undefined;
}

/** What an answer was, where the returned value does not show it. What is given here counts before what that shows. */
export interface RequestReport {
  /** `TokenUsage`, or the provider's own usage object (OpenAI chat completions or Responses, Anthropic messages). */
  readonly usage?: TokenUsage | object | undefined;
  readonly finishReason?: string | undefined;
  readonly responseModel?: string | undefined;
  /** The assistant's message: `role`, `content`, `tool_calls`. Content. */
  readonly message?: unknown;
  /** Tool calls in the answer, or their number. */
  readonly toolCalls?: readonly unknown[] | number | undefined;
}

/** A request that runs, as its function gets it. */
export interface InstrumentedRequest {
  /** `api_request_id` of its hooks. */
  readonly id: string;
  readonly signal: AbortSignal | undefined;
  /** Tells what the answer was. May be called several times, before the request or its stream ends. */
  report(report: RequestReport): void;
  /**
   * Runs one attempt. An attempt that throws becomes an event of the request's span, and its error is thrown again;
   * call this once more to try again. `number` counts from 1. A request without attempts is one attempt.
   */
  attempt<T>(fn: (number: number) => T | PromiseLike<T>): Promise<T>;
}

const FIELDS = [
  'model',
  'provider',
  'baseUrl',
  'apiMode',
  'messages',
  'systemPrompt',
  'maxTokens',
  'signal',
] as const satisfies readonly (keyof RequestInfo)[];

const REPORTED = [
  'usage',
  'finishReason',
  'responseModel',
  'message',
  'toolCalls',
] as const satisfies readonly (keyof RequestReport)[];

const secondsOf = (time: HrTime): number => time[0] + time[1] / 1e9;

/** One request to a model, from its first attempt to its answer or the end of its stream. */
export class RequestRun {
  readonly #turn: TurnState;
  readonly #info: RequestInfo;
  readonly #number: number;
  readonly #id: string;
  readonly #signal: AbortSignal | undefined;
  readonly #start = now();
  readonly #place: ActiveSpan;
  #state: 'running' | 'failed' | 'ended' = 'running';
  #attempts = 0;
  #retries = 0;
  #firstChunk: HrTime | undefined = undefined;
  #reported: Answer = {};

  /** The request begins. */
  constructor(turn: TurnState, info: RequestInfo) {
    this.#turn = turn;
    this.#info = readFields(info, FIELDS);
    this.#number = ++turn.requests;
    this.#id = `${turn.turnId}:api:${this.#number}`;
    this.#signal = turn.signalWith(this.#info.signal);
    turn.lastRequestId = this.#id;
    const parallel = turn.openRequests++ > 0;
    this.#begin(parallel);
    this.#place = new ActiveSpan(turn, { requestId: this.#id });
  }

  run<T>(fn: (request: InstrumentedRequest) => T | PromiseLike<T>): Promise<T> {
    // Functions of their own: an agent may take them out of the object.
    const handle: InstrumentedRequest = {
      id: this.#id,
      signal: this.#signal,
      report: (report) => this.#report(report),
      attempt: (attempt) => this.#attempt(attempt),
    };
    return settle<T>(
      this.#place,
      () => fn(handle),
      (value) => this.#follow(value) ?? this.#answered(value),
      (error) => this.#failed(error),
    );
  }

  #report(report: RequestReport): void {
    const { usage, finishReason: reason, responseModel, message, toolCalls } = readFields(report, REPORTED);
    const reported = this.#reported;
    quietly(() => {
      if (usage !== undefined) reported.usage = contractUsage(usage);
    });
    quietly(() => {
      if (reason !== undefined) reported.finishReason = finishReason(reason);
      if (responseModel !== undefined) reported.responseModel = responseModel;
      if (message !== undefined) {
        reported.message = message;
        reported.characters = lengthOf(fieldsOf(message).content);
      }
      if (toolCalls !== undefined) reported.toolCalls = typeof toolCalls === 'number' ? toolCalls : toolCalls.length;
    });
  }

  #attempt<T>(fn: (number: number) => T | PromiseLike<T>): Promise<T> {
    const number = ++this.#attempts;
    if (this.#state === 'failed') {
      this.#state = 'running';
      this.#retries++;
      this.#begin(false);
    }
    return settle<T>(
      this.#place,
      () => fn(number),
      (value) => value,
      (error) => {
        const failure = this.#turn.failureOf(error, this.#signal);
        if (this.#state === 'running' && !failure.aborted) this.#failAttempt(failure);
      },
    );
  }

  #follow<T>(value: T): T | undefined {
    const streamed = new StreamedAnswer();
    const listens = this.#turn.host.hub.has('post_api_request');
    return followInTurn(
      value,
      this.#turn,
      this.#place,
      {
        chunk: (chunk, first) => {
          if (first) this.#firstChunk = now();
          if (listens) streamed.add(chunk);
        },
        whole: (result) => {
          const answer = readAnswer(result);
          if (answer !== undefined) this.#reported = { ...answer, ...this.#reported };
          return answer !== undefined;
        },
        ended: (outcome, error) => {
          const answer = streamed.answer();
          if (outcome === 'done') this.#end(answer);
          else if (outcome === 'left') this.#cancel(answer);
          else this.#failed(error, answer);
        },
      },
      this.#signal,
    );
  }

  #answered<T>(value: T): T {
    let answer: Answer | undefined;
    quietly(() => {
      answer = readAnswer(value);
    });
    const isKnown = answer !== undefined || Object.keys(this.#reported).length > 0;
    // Every attempt failed and the agent goes on without an answer: the last failure is the request's.
    if (this.#state === 'failed' && !isKnown) this.#close();
    else this.#end(answer ?? {});
    return value;
  }

  #failed(error: unknown, answer: Answer = {}): void {
    const failure = this.#turn.failureOf(error, this.#signal);
    if (failure.aborted) this.#cancel(answer);
    else {
      if (this.#state === 'running') this.#failAttempt(failure);
      this.#close();
    }
  }

  #cancel(answer: Answer): void {
    this.#end({ ...answer, finishReason: answer.finishReason ?? 'cancelled' });
  }

  #close(): boolean {
    if (this.#state === 'ended') return false;
    this.#state = 'ended';
    this.#turn.openRequests--;
    return true;
  }

  #begin(parallel: boolean): void {
    this.#turn.emit('pre_api_request', () => {
      const { messages, systemPrompt, maxTokens } = this.#info;
      const payload = this.#fields();
      payload.retry_count = this.#retries;
      payload.request_messages = messages;
      payload.system_prompt = systemPrompt;
      payload.message_count = messages?.length;
      payload.max_tokens = maxTokens;
      payload.started_at = secondsOf(this.#start);
      if (parallel) payload.parallel = true;
      return payload;
    });
  }

  #failAttempt(failure: Failure): void {
    this.#state = 'failed';
    this.#turn.emit('api_request_error', () => {
      const payload = this.#ended();
      payload.status_code = failure.statusCode;
      payload.retry_count = this.#retries;
      payload.error = { type: failure.type, message: failure.message };
      return payload;
    });
  }

  #end(found: Answer): void {
    if (!this.#close()) return;
    const answer = merged(found, this.#reported);
    this.#turn.finishReason = answer.finishReason;
    this.#turn.emit('post_api_request', () => {
      const { usage, message, finishReason: finish_reason, responseModel: model } = answer;
      const payload = this.#ended();
      payload.first_chunk_at = this.#firstChunk === undefined ? null : secondsOf(this.#firstChunk);
      payload.finish_reason = finish_reason;
      payload.response_model = model;
      payload.usage = usage;
      payload.response =
        usage === undefined && message === undefined
          ? null
          : { model, finish_reason, assistant_message: message, usage };
      payload.assistant_content_chars = answer.characters ?? 0;
      payload.assistant_tool_call_count = answer.toolCalls ?? 0;
      return payload;
    });
  }

  #fields(): Record<string, unknown> {
    const { sessionId, taskId, turnId, info } = this.#turn;
    const { model = info.model, provider = info.provider, baseUrl, apiMode } = this.#info;
    return {
      session_id: sessionId,
      task_id: taskId,
      turn_id: turnId,
      api_request_id: this.#id,
      platform: info.platform,
      model,
      provider,
      base_url: baseUrl,
      api_mode: apiMode,
      api_call_count: this.#number,
    };
  }

  #ended(): Record<string, unknown> {
    const ended = now();
    const payload = this.#fields();
    payload.started_at = secondsOf(this.#start);
    payload.ended_at = secondsOf(ended);
    payload.api_duration = millisBetween(this.#start, ended) / 1000;
    return payload;
  }
}

/** What was reported, before what was found. */
function merged(found: Answer, reported: Answer): Answer {
  return {
    usage: reported.usage ?? found.usage,
    finishReason: reported.finishReason ?? found.finishReason,
    responseModel: reported.responseModel ?? found.responseModel,
    message: reported.message ?? found.message,
    toolCalls: reported.toolCalls ?? found.toolCalls,
    characters: reported.characters ?? found.characters,
  };
}
