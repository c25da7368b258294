import { type HrTime, millisBetween, now } from '@hermes-observer/core';
import { failureIn } from '../failure.js';
import { hold } from './content.js';
import type { AdapterTurn } from './turn.js';

/** A tool call. */
export interface AdapterToolInfo {
  readonly name: string;
  /** As the provider named it. @default a random one */
  readonly callId?: string | undefined;
  /** Content. */
  readonly args?: unknown;
  /** The request that asked for it. @default the turn's last */
  readonly requestId?: string | undefined;
  /** When it began, where that is known only later. @default now */
  readonly startedAt?: HrTime | undefined;
}

export type ToolStatus = 'ok' | 'error' | 'blocked' | 'cancelled' | 'timeout';

/** How a call ended. */
export interface AdapterToolEnd {
  readonly status: ToolStatus;
  /** Content: text or an object. */
  readonly result?: unknown;
  readonly errorType?: string | undefined;
  readonly errorMessage?: string | undefined;
  /** As the framework measured it, in milliseconds. @default from the start of the call, waits for an answer included */
  readonly durationMs?: number | undefined;
}

/** One tool call. Ends once; what comes later counts for nothing. */
export class AdapterTool {
  readonly callId: string;
  readonly name: string;
  /** For the adapter that tells of it: what belongs to it there. */
  owner: object | undefined = undefined;
  readonly #turn: AdapterTurn;
  /** The contract wants an object; what the agent calls its tools with passes as it is. */
  #args: Record<string, unknown> | undefined;
  readonly #requestId: string | undefined;
  readonly #started: HrTime;
  #isEnded = false;

  constructor(turn: AdapterTurn, info: AdapterToolInfo, callId: string, requestId: string | undefined) {
    this.#turn = turn;
    const args = hold(info.args);
    const told = args.value as Record<string, unknown>;
    // What may change is told when the call begins, and not again.
    this.#args = args.isLive ? undefined : told;
    this.callId = callId;
    this.name = info.name;
    this.#requestId = requestId;
    this.#started = info.startedAt ?? now();
    turn.emit(
      'pre_tool_call',
      () => ({
        session_id: turn.sessionId,
        task_id: turn.taskId,
        turn_id: turn.turnId,
        tool_name: this.name,
        args: told,
        tool_call_id: callId,
        api_request_id: requestId,
      }),
      args.isLive,
      this.#started,
    );
  }

  end({ status, result, errorType, errorMessage, durationMs }: AdapterToolEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const ended = now();
    const millis = durationMs ?? (status === 'blocked' ? 0 : millisBetween(this.#started, ended));
    const { value, isLive } = hold(result);
    const args = this.#args;
    // What a call keeps after its end is no content: adapters may know of it for long.
    this.#args = undefined;
    this.#turn.toolEnded(this);
    this.#turn.emit(
      'post_tool_call',
      () => ({
        session_id: this.#turn.sessionId,
        task_id: this.#turn.taskId,
        turn_id: this.#turn.turnId,
        tool_name: this.name,
        args,
        tool_call_id: this.callId,
        api_request_id: this.#requestId,
        status,
        duration_ms: Math.max(0, Math.round(millis)),
        error_type: errorType ?? null,
        error_message: errorMessage ?? null,
        result: typeof value === 'string' || (typeof value === 'object' && value !== null) ? value : textOf(value),
      }),
      isLive,
      ended,
    );
  }

  /** It threw. A `TimeoutError` is a timeout, an abort is none of its faults. */
  failed(error: unknown): void {
    const { type, message, aborted } = failureIn(error);
    const status = type === 'TimeoutError' ? 'timeout' : aborted ? 'cancelled' : 'error';
    this.end({ status, errorType: type, errorMessage: message });
  }
}

function textOf(value: unknown): string | null {
  try {
    return value === undefined || value === null ? null : String(value);
  } catch {
    return '[unreadable]';
  }
}
