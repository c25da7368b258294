import { idOf, type Payload } from '@hermes-observer/core';
import { ActiveSpan } from './active-span.js';
import type { ApprovalInfo } from './approval.js';
import { followInTurn } from './follow.js';
import { readFields } from './read-fields.js';
import { settle } from './settle.js';
import { ToolBlockedError } from './tool-blocked-error.js';
import { allowedArgs } from './tool-gate.js';
import type { TurnState } from './turn-state.js';

/** A tool call. */
export interface ToolInfo<Args, Value> {
  readonly name: string;
  /** What it is called with; a responder may change it. Content. */
  readonly args: Args;
  /** The model's id of the call. @default a random one */
  readonly callId?: string | undefined;
  /** The request whose answer asked for it. @default the turn's last one */
  readonly requestId?: string | undefined;
  /** Stops the call. The turn's signal counts as well. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds each responder has for its answer; a guard that takes longer blocks. @default 30000 */
  readonly guardTimeoutMs?: number | undefined;
  /** Gives the value of a call that was blocked. @default the `ToolBlockedError` is thrown */
  readonly onBlocked?: ((blocked: ToolBlockedError) => Value | PromiseLike<Value>) | undefined;
}

/**
 * A call that runs, as its function gets it. `approval` and `subagent` are those of the turn, and belong to this call
 * whatever else runs at the same time.
 */
export interface ToolCall<Subagent> {
  /** `tool_call_id` of its hooks: the model's id, with a suffix if a running call has that one. */
  readonly callId: string;
  readonly signal: AbortSignal | undefined;
  approval<T extends string>(info: ApprovalInfo, fn: () => T | PromiseLike<T>): Promise<T>;
  readonly subagent: Subagent;
}

type Status = 'ok' | 'error' | 'blocked' | 'cancelled' | 'timeout';

interface Ending {
  readonly status: Status;
  readonly errorType?: string | null | undefined;
  readonly errorMessage?: string | undefined;
  readonly result?: unknown;
}

const FIELDS = [
  'name',
  'args',
  'callId',
  'requestId',
  'signal',
  'guardTimeoutMs',
  'onBlocked',
] as const satisfies readonly (keyof ToolInfo<never, never>)[];

/** One tool call, from the question whether it may run to its value or the end of its stream. */
export class ToolRun<Args, Value> {
  readonly callId: string;
  readonly signal: AbortSignal | undefined;
  readonly #turn: TurnState;
  readonly #info: Partial<ToolInfo<Args, Value>>;
  readonly #requestId: string | undefined;
  readonly #place: ActiveSpan;
  #args: unknown;
  #started: number | undefined = undefined;

  /** The call is asked for. */
  constructor(turn: TurnState, info: ToolInfo<Args, Value>) {
    this.#turn = turn;
    const read = readFields(info, FIELDS);
    this.#info = read;
    this.#args = read.args;
    this.callId = turn.takeCallId(read.callId);
    this.signal = turn.signalWith(read.signal);
    this.#requestId = read.requestId ?? turn.lastRequestId;
    turn.emit('pre_tool_call', () => this.#fields());
    this.#place = new ActiveSpan(turn, { toolCallId: this.callId });
  }

  /** Without a guard `fn` is called at once. */
  run(fn: (args: Args) => Value | PromiseLike<Value>): Promise<Value> {
    if (!this.#turn.host.hub.hasResponder('pre_tool_call')) return this.#call(fn);
    return this.#place.run(() => this.#ask(fn));
  }

  async #ask(fn: (args: Args) => Value | PromiseLike<Value>): Promise<Value> {
    const { args, guardTimeoutMs, onBlocked } = this.#info;
    const { callId, signal } = this;
    const name = idOf(this.#info.name) ?? 'unknown';
    try {
      const allowed = await allowedArgs(this.#turn, { name, callId, args, signal, guardTimeoutMs }, this.#fields());
      this.#args = allowed.args;
    } catch (error) {
      if (!(error instanceof ToolBlockedError)) {
        this.#failed(error);
        throw error;
      }
      const errorType = error.kind === 'denied' ? 'plugin_block' : error.kind;
      this.#end({ status: 'blocked', errorType, errorMessage: error.reason });
      if (onBlocked === undefined) throw error;
      return onBlocked(error);
    }
    return this.#call(fn);
  }

  #call(fn: (args: Args) => Value | PromiseLike<Value>): Promise<Value> {
    this.#started = performance.now();
    return settle<Value>(
      this.#place,
      () => fn(this.#args as Args),
      (value) => this.#follow(value) ?? this.#returned(value),
      (error) => this.#failed(error),
    );
  }

  #follow(value: Value): Value | undefined {
    return followInTurn(
      value,
      this.#turn,
      this.#place,
      {
        chunk: () => {},
        ended: (outcome, error) => {
          if (outcome === 'failed') this.#failed(error);
          else this.#end({ status: outcome === 'done' ? 'ok' : 'cancelled' });
        },
      },
      this.signal,
    );
  }

  #returned(value: Value): Value | Promise<Value> {
    const fields = this.#end({ status: 'ok', result: value });
    const { hub } = this.#turn.host;
    if (typeof value !== 'string' || !hub.hasResponder('transform_tool_result')) return value;
    hub.emit('transform_tool_result', fields);
    const { guardTimeoutMs: timeoutMs } = this.#info;
    return this.#place.run(async () => {
      const { value: text } = await hub.ask(
        'transform_tool_result',
        fields,
        timeoutMs === undefined ? {} : { timeoutMs },
      );
      return typeof text === 'string' ? (text as Value) : value;
    });
  }

  #failed(error: unknown): void {
    const { type, message, aborted } = this.#turn.failureOf(error, this.signal);
    const status = type === 'TimeoutError' ? 'timeout' : aborted ? 'cancelled' : 'error';
    this.#end({ status, errorType: type, errorMessage: message });
  }

  #end(ending: Ending): Payload {
    const { status, errorType = null, errorMessage = null, result } = ending;
    const duration = this.#started === undefined ? 0 : performance.now() - this.#started;
    const fields = this.#fields();
    fields.status = status;
    fields.duration_ms = Math.round(duration);
    fields.error_type = errorType;
    fields.error_message = errorMessage;
    fields.result = result;
    this.#turn.releaseCallId(this.callId);
    this.#turn.emit('post_tool_call', () => fields);
    return fields;
  }

  #fields(): Record<string, unknown> & { args: never } {
    const { sessionId, taskId, turnId } = this.#turn;
    return {
      session_id: sessionId,
      task_id: taskId,
      turn_id: turnId,
      tool_name: this.#info.name,
      // Whatever the agent calls its tools with: the contract wants an object, and other kinds pass as they are.
      args: this.#args as never,
      tool_call_id: this.callId,
      api_request_id: this.#requestId,
    };
  }
}
