import { enclosingTool } from './active-span.js';
import { type ApprovalInfo, runApproval } from './approval.js';
import { activeCaller } from './caller.js';
import type { InstrumentationHost } from './host.js';
import { type InstrumentedRequest, type RequestInfo, RequestRun } from './request.js';
import { type SubagentInfo, SubagentRun } from './subagent.js';
import { type ToolCall, type ToolInfo, ToolRun } from './tool.js';
import { readTurnInfo, type TurnInfo } from './turn-info.js';
import { runTurn } from './turn-run.js';
import { TurnState } from './turn-state.js';

export type { TurnInfo } from './turn-info.js';

/** Starts a subagent. See `InstrumentedTurn.subagent`. */
export type RunSubagent = <T>(info: SubagentInfo, fn: (child: InstrumentedTurn) => T | PromiseLike<T>) => Promise<T>;

/**
 * A turn that runs. Each of its methods calls a function of the agent's own, with its span as the active one, and passes
 * on what that returns or throws, the same object. A value that is a stream (an async iterable or a `ReadableStream`)
 * comes back as one that behaves alike; then the span ends when the stream does.
 *
 * Functions are called before the method returns, except those of a tool that a guard is asked about.
 */
export class InstrumentedTurn {
  readonly #state: TurnState;

  private constructor(state: TurnState) {
    this.#state = state;
  }

  /** Runs `fn` as one turn of an agent. */
  static run<T>(
    host: InstrumentationHost,
    info: TurnInfo,
    fn: (turn: InstrumentedTurn) => T | PromiseLike<T>,
  ): Promise<T> {
    const read = readTurnInfo(info);
    const state = new TurnState(host, read, undefined, read.traceContext ?? activeCaller());
    const turn = new InstrumentedTurn(state);
    return runTurn(
      state,
      () => fn(turn),
      () => {},
    );
  }

  get sessionId(): string {
    return this.#state.sessionId;
  }

  get taskId(): string {
    return this.#state.taskId;
  }

  /** The id by which `observer.contextOf({ turnId })` finds its span. */
  get turnId(): string {
    return this.#state.turnId;
  }

  get signal(): AbortSignal | undefined {
    return this.#state.signal;
  }

  /** Tells the turn's answer to the user. @default what `fn` returns, if that is a string or a stream of text */
  answer(text: string): void {
    this.#state.answer = text;
  }

  /**
   * One request to a model. Usage, finish reason and model are read off a returned OpenAI chat completion, OpenAI
   * Responses object or Anthropic message, or off the chunks of a stream of these; `request.report` tells them otherwise.
   */
  request<T>(info: RequestInfo, fn: (request: InstrumentedRequest) => T | PromiseLike<T>): Promise<T> {
    return new RequestRun(this.#state, info).run(fn);
  }

  /**
   * One tool call. The hub's responders are asked first: they may block it, change its arguments or have it approved.
   * @throws ToolBlockedError when it may not run and there is no `onBlocked`; the signal's reason when it was called off
   * before it ran.
   */
  tool<Args, T>(
    info: ToolInfo<Args, T>,
    fn: (args: Args, call: ToolCall<RunSubagent>) => T | PromiseLike<T>,
  ): Promise<T> {
    const run = new ToolRun<Args, T>(this.#state, info);
    const { callId, signal } = run;
    const call: ToolCall<RunSubagent> = {
      callId,
      signal,
      approval: (asked, ask) => runApproval(this.#state, asked, ask, callId),
      subagent: (child, work) => this.#subagent(child, callId, work),
    };
    return run.run((args) => fn(args, call));
  }

  /** Runs another agent, whose work hangs below the tool call this is called in, else below the turn. */
  subagent<T>(info: SubagentInfo, fn: (child: InstrumentedTurn) => T | PromiseLike<T>): Promise<T> {
    return this.#subagent(info, enclosingTool(this.#state), fn);
  }

  #subagent<T>(
    info: SubagentInfo,
    toolCallId: string | undefined,
    fn: (child: InstrumentedTurn) => T | PromiseLike<T>,
  ): Promise<T> {
    const run = new SubagentRun(this.#state, info, toolCallId);
    const child = new InstrumentedTurn(run.child);
    return runTurn(
      run.child,
      () => fn(child),
      (end) => run.ended(end),
    );
  }

  /** Waits for a person, or a program in their place: `fn` asks, and what it returns is the choice. */
  approval<T extends string>(info: ApprovalInfo, fn: () => T | PromiseLike<T>): Promise<T> {
    return runApproval(this.#state, info, fn);
  }
}
