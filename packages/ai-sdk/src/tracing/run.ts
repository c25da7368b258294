import {
  type AdapterRequest,
  type AdapterTool,
  type AdapterTurn,
  failureIn,
  type Guard,
} from '@hermes-observer/adapter';
import type { HrTime } from '@hermes-observer/core';
import { answerOf, StreamedAnswer } from '../sdk/answer.js';
import { type AnsweredCall, deniedIn, questionsIn } from '../sdk/approvals.js';
import { type Fields, fieldsOf, listOf, recordsInputs, recordsOutputs, textOf } from '../sdk/events.js';
import { recordedMessages } from '../sdk/messages.js';
import { watchStream } from './watched-stream.js';

const SURFACE = 'ai-sdk';
const MOST_CALLS = 10_000;

/** One `generateText` or `streamText`: what the SDK tells of it, as a turn. */
export class Run {
  readonly turn: AdapterTurn;
  /** Told when the program leaves a stream half way. */
  left: (() => void) | undefined = undefined;
  hasSteps = false;
  readonly #guard: Guard;
  readonly #ended: (run: Run) => void;
  /** Calls of which records went out already: content of a step tells of them again. */
  readonly #seen = new Set<string>();
  #request: AdapterRequest | undefined;
  #answer: string | undefined;
  #hiddenError: unknown;

  constructor(turn: AdapterTurn, guard: Guard, ended: (run: Run) => void) {
    this.turn = turn;
    this.#guard = guard;
    this.#ended = ended;
  }

  /** Answers of a person the run starts with. What was approved runs next, in the call that waits here. */
  resumed(answers: readonly AnsweredCall[]): void {
    for (const { toolCallId, toolName, input, approved, approvalId: requestId } of answers) {
      const tool = this.turn.tool({ name: toolName, callId: toolCallId, args: input });
      const question = { toolCallId, toolName, surface: SURFACE, requestId };
      this.turn.asked(question);
      this.turn.answered(question, approved ? 'once' : 'deny');
      this.#see(toolCallId);
      if (!approved) tool.end({ status: 'blocked', errorType: 'user_denied' });
    }
  }

  /** A step begins: a request of its own, whatever became of the last one. */
  step(): void {
    this.hasSteps = true;
    this.#request?.close();
    this.#request = undefined;
  }

  /** An attempt begins; with `isLogical` the request of a step, whose attempts are not told. */
  attempt(event: Fields, isLogical = false): AdapterRequest {
    this.#hiddenError = undefined;
    if (this.#request?.hasFailed === true) {
      this.#request.retry();
      return this.#request;
    }
    const inputs = recordsInputs(event);
    this.#request = this.turn.request({
      model: textOf(event.modelId),
      provider: providerOf(event.provider),
      messages: inputs ? listOf(event.messages) : undefined,
      recordedMessages,
      systemPrompt: inputs ? event.instructions : undefined,
      maxTokens: typeof event.maxOutputTokens === 'number' ? event.maxOutputTokens : undefined,
      isLogical,
    });
    return this.#request;
  }

  /** The attempt gave an answer, or the stream of one. `endedAt` is when the answer had come, where it is told later. */
  answered(request: AdapterRequest, event: Fields, result: unknown, endedAt?: HrTime): void {
    if (request.isEnded) return;
    const { stream } = fieldsOf(result);
    const outputs = recordsOutputs(event);
    if (stream === undefined) {
      const answer = answerOf(result, outputs);
      this.#answer = answer.text;
      request.end(endedAt === undefined ? answer : { ...answer, endedAt });
      return;
    }
    const streamed = new StreamedAnswer(outputs);
    const told = (error: unknown) => (outputs && recordsInputs(event) ? error : withoutText(error));
    const guard = this.#guard;
    watchStream(stream, this, {
      part: (part) => {
        try {
          const { type, error } = part as Fields;
          if (type === 'error') request.failed(told(error));
          else if (type !== 'stream-start') request.chunk();
          streamed.add(part as Fields);
        } catch (fault) {
          guard.note(fault);
        }
      },
      done: () =>
        guard.safely(() => {
          this.#answer = streamed.answer.text;
          if (!request.hasFailed) request.end(streamed.answer);
        }),
      failed: (error) =>
        guard.safely(() => {
          request.failed(told(error));
          // Some versions tell no more of such a run.
          setImmediate(() => guard.safely(() => this.end(told(error))));
        }),
      left: () =>
        guard.safely(() => {
          request.cancelled(streamed.answer);
          this.left?.();
        }),
    });
  }

  /** The attempt failed, in a call that shows its errors to nobody: how it failed is told without what it says. */
  failedHidden(request: AdapterRequest, error: unknown): void {
    this.#hiddenError = withoutText(error);
    request.failed(this.#hiddenError);
  }

  tool(event: Fields): AdapterTool {
    const { toolCallId, toolName, input } = fieldsOf(event.toolCall);
    const callId = textOf(toolCallId);
    if (callId !== undefined) this.#see(callId);
    return this.turn.tool({
      name: textOf(toolName) ?? 'unknown',
      callId,
      args: recordsInputs(event) ? input : undefined,
    });
  }

  toolEnded(tool: AdapterTool, event: Fields, result: unknown): void {
    // What the SDK measures leaves out the program's own callbacks, which the span has in it.
    const { type, error, output: value } = fieldsOf(fieldsOf(result).output);
    if (type === 'tool-error') tool.failed(error);
    else tool.end({ status: 'ok', result: recordsOutputs(event) ? value : undefined });
  }

  /** What a step gave: questions about calls, and calls that never ran here. May be told twice. */
  stepEnded(content: unknown, event: Fields): void {
    for (const { approvalId, toolCallId, toolName } of questionsIn(content)) {
      if (this.#seen.has(toolCallId)) continue;
      this.#see(toolCallId);
      const question = { toolCallId, toolName, surface: SURFACE, requestId: approvalId };
      this.turn.asked(question);
      this.turn.answered(question, 'pending');
    }
    for (const { toolCallId, toolName, input } of deniedIn(content)) {
      if (this.#seen.has(toolCallId)) continue;
      this.#see(toolCallId);
      const args = recordsInputs(event) ? input : undefined;
      const tool = this.turn.tool({ name: toolName, callId: toolCallId, args });
      tool.end({ status: 'blocked', errorType: 'tool_approval' });
    }
    for (const part of listOf(content).map(fieldsOf)) {
      const { type, toolCallId, toolName, input, error, output } = part;
      const callId = textOf(toolCallId);
      if ((type !== 'tool-error' && type !== 'tool-result') || callId === undefined || this.#seen.has(callId)) continue;
      this.#see(callId);
      const args = recordsInputs(event) ? input : undefined;
      const tool = this.turn.tool({ name: textOf(toolName) ?? 'unknown', callId, args });
      if (type === 'tool-result') tool.end({ status: 'ok', result: recordsOutputs(event) ? output : undefined });
      else if (part.providerExecuted === true) tool.end({ status: 'error', errorType: 'tool_error' });
      else {
        // It quotes the arguments, which are inputs of the tool and an output of the model.
        const isShown = recordsInputs(event) && recordsOutputs(event);
        const errorMessage = isShown ? (textOf(error) ?? textOf(fieldsOf(error).message)) : undefined;
        tool.end({ status: 'error', errorType: 'invalid_tool_arguments', errorMessage });
      }
    }
  }

  end(error?: unknown, isInterrupted = false): void {
    const told = error === undefined ? undefined : (this.#hiddenError ?? error);
    this.turn.end({ error: told, answer: this.#answer, isInterrupted });
    this.#ended(this);
  }

  #see(callId: string): void {
    if (this.#seen.size < MOST_CALLS) this.#seen.add(callId);
  }
}

/** `openai.responses` is the protocol of `openai`. */
const providerOf = (value: unknown): string | undefined => textOf(value)?.split('.')[0];

/** Class and status of an error, which say nothing of what was sent. */
export function withoutText(error: unknown): unknown {
  const { type, statusCode, aborted } = failureIn(error);
  return { name: aborted ? 'AbortError' : type, statusCode };
}
