import {
  type AdapterHost,
  type AdapterRequest,
  type AdapterTool,
  AdapterTurn,
  BoundedMap,
  type Guard,
  type Scope,
} from '@hermes-observer/adapter';
import { newId } from '@hermes-observer/core';
import type { AiSdkOptions } from '../options.js';
import { type AskedCall, answersIn, questionsIn } from '../sdk/approvals.js';
import { type ChannelMessage, type Fields, fieldsOf, recordsInputs, textOf } from '../sdk/events.js';
import { hasOwnSpans } from '../sdk/framework-spans.js';
import { userMessageOf } from '../sdk/messages.js';
import { Run } from './run.js';

/** Runs that the SDK never ends, and questions nobody answers, are forgotten from here on, the oldest first. */
const MOST_RUNS = 10_000;
const MOST_QUESTIONS = 10_000;

/** An operation of the channel that is under way. */
interface Operation {
  readonly run: Run;
  readonly request?: AdapterRequest | undefined;
  readonly tool?: AdapterTool | undefined;
}

/** What a run that goes on is not told of, where a run of this process has asked. */
interface Waiting {
  readonly sessionId: string;
  readonly question: AskedCall;
}

/** Makes runs of what the tracing channel of the SDK tells. */
export class AiSdkTracing {
  readonly #host: AdapterHost;
  readonly #guard: Guard;
  readonly #options: AiSdkOptions;
  readonly #runs = new BoundedMap<string, Run>(MOST_RUNS);
  /** By the id of the call that waits. */
  readonly #waiting = new BoundedMap<string, Waiting>(MOST_QUESTIONS);
  readonly #operations = new WeakMap<object, Operation>();

  constructor(host: AdapterHost, guard: Guard, options: AiSdkOptions) {
    this.#host = host;
    this.#guard = guard;
    this.#options = options;
  }

  /** An operation begins. Gives the scope that its code runs in; `undefined` for the one around it. */
  start(message: ChannelMessage, around: Scope | undefined): Scope | undefined {
    const { type } = message;
    const event = fieldsOf(message.event);
    if (type === 'generateText' || type === 'streamText') return this.#startRun(message, event, around);
    const run = this.#runOf(event);
    if (run === undefined) return undefined;
    const { turn } = run;
    if (type === 'step') {
      run.step();
      this.#operations.set(message, { run });
      return undefined;
    }
    if (type === 'languageModelCall') {
      const request = run.attempt(event);
      this.#operations.set(message, { run, request });
      return { turn, request };
    }
    if (type === 'executeTool') {
      if (!run.hasSteps && !recordsInputs(event)) this.#allowed(run, event);
      const tool = run.tool(event);
      this.#operations.set(message, { run, tool });
      return { turn, tool };
    }
    return undefined;
  }

  #startRun(message: ChannelMessage, event: Fields, around: Scope | undefined): Scope | undefined {
    const callId = textOf(event.callId);
    const run = callId === undefined ? undefined : this.begin(event, around, callId);
    if (run === undefined) return undefined;
    this.#operations.set(message, { run });
    return { turn: run.turn };
  }

  /** A run begins; `undefined` where the spans of the SDK are enough. Without a `callId` its events are not found by one. */
  begin(event: Fields, around: Scope | undefined, callId?: string): Run | undefined {
    if (this.#yields()) return undefined;
    const answers = answersIn(event.messages);
    const { sessionKey = 'sessionId' } = this.#options;
    const told = textOf(fieldsOf(event.runtimeContext)[sessionKey]);
    const waited = answers
      .map(({ toolCallId }) => this.#waiting.get(toolCallId)?.sessionId)
      .find((id) => id !== undefined);
    for (const { toolCallId } of answers) this.#waiting.delete(toolCallId);
    const info = {
      // Each observer makes a turn of its own of the call.
      turnId: callId === undefined ? undefined : newId(`${callId}:`),
      sessionId: told ?? waited,
      agentName: textOf(event.functionId),
      userMessage: userMessageOf(event),
      model: textOf(event.modelId),
    };
    const parent = around?.turn.isEnded === false ? around.turn : undefined;
    const turn = new AdapterTurn(this.#host, this.#guard, info, parent, around?.tool?.callId);
    const run = new Run(turn, this.#guard, () => {
      if (callId !== undefined) this.#runs.delete(callId);
    });
    if (callId !== undefined) this.#runs.set(callId, run);
    run.resumed(answers);
    return run;
  }

  /** A tool that runs before any step was allowed, in a call whose messages are hidden. */
  #allowed(run: Run, event: Fields): void {
    const callId = textOf(fieldsOf(event.toolCall).toolCallId);
    const waiting = callId === undefined ? undefined : this.#waiting.get(callId);
    if (callId === undefined || waiting === undefined) return;
    this.#waiting.delete(callId);
    run.resumed([{ ...waiting.question, approved: true, reason: undefined }]);
  }

  /** The operation ended, well or not. */
  ended(message: ChannelMessage): void {
    const operation = this.#operations.get(message);
    if (operation === undefined) return;
    const { run, request, tool } = operation;
    const { type, result, error } = message;
    const event = fieldsOf(message.event);
    if (request !== undefined) {
      if (error !== undefined) request.failed(error);
      else if (result !== undefined) run.answered(request, event, result);
    } else if (tool !== undefined) {
      if (error !== undefined) tool.failed(error);
      else run.toolEnded(tool, event, result);
    } else if (type === 'step') this.stepEnded(run, fieldsOf(result).content, event);
    else run.end(error);
  }

  stepEnded(run: Run, content: unknown, event: Fields): void {
    const { sessionId } = run.turn;
    for (const asked of questionsIn(content)) {
      this.#waiting.set(asked.toolCallId, { sessionId, question: { ...asked, input: undefined } });
    }
    run.stepEnded(content, event);
  }

  /** The run an event of the SDK belongs to. What a durable run tells again, once it is over, is of none. */
  runOf(event: unknown): Run | undefined {
    const fields = fieldsOf(event);
    return fieldsOf(fields.durableContext).phase === 'replay' ? undefined : this.#runOf(fields);
  }

  #runOf(event: Fields): Run | undefined {
    const callId = textOf(event.callId);
    return callId === undefined ? undefined : this.#runs.get(callId);
  }

  #yields(): boolean {
    const { frameworkSpans = 'warn' } = this.#options;
    if (frameworkSpans === 'keep' || !hasOwnSpans()) return false;
    if (frameworkSpans === 'yield') return true;
    this.#guard.tell(
      "@ai-sdk/otel makes spans of the same requests, which now count twice: take it out, or set frameworkSpans to 'yield' or 'keep'",
    );
    return false;
  }

  /** AI SDK 6 makes spans of a run, which is told too late for `yield`. */
  tellOfOwnSpans(): void {
    if ((this.#options.frameworkSpans ?? 'warn') !== 'warn') return;
    this.#guard.tell(
      "experimental_telemetry makes spans of the same requests, which now count twice: take out its isEnabled, or set frameworkSpans to 'keep'",
    );
  }
}
