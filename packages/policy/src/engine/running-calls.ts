import type { Payload } from '@hermes-observer/core';
import type { ToolCall } from '../call/tool-call.js';
import type { HubPolicy } from './hub-policy.js';
import { RecentMap, weightOf } from './recent-map.js';
import type { ReportSink } from './report.js';
import type { CallEnd, ResultVerdict } from './result.js';
import type { Allowed, Verdict } from './verdict.js';

/** Calls that are remembered until they end, and ends that are until their result is asked about. */
const MOST_CALLS = 100_000;
const MOST_ENDS = 1_000;
/** Characters, about, of what is kept of either: an agent need not tell that its calls have ended. */
const MOST_KEPT = 64 * 1024 * 1024;

interface Screened {
  readonly verdict: Promise<ResultVerdict>;
  /** Hooks saw what the model gets: records without content do not say it. */
  readonly hasResult: boolean;
}

/**
 * Calls of a hub that were allowed and run. An agent tells their end in one way or two, in either order
 * (`post_tool_call`, `transform_tool_result`): hooks for results are asked once.
 */
export class RunningCalls {
  readonly #policy: HubPolicy;
  readonly #allowed = new RecentMap<Allowed>(MOST_CALLS, MOST_KEPT);
  readonly #screened = new RecentMap<Screened>(MOST_ENDS, MOST_KEPT);

  constructor(policy: HubPolicy) {
    this.#policy = policy;
  }

  /** A call is asked for. Some models number their calls anew in each answer: what came before under its id is another one. */
  begun(call: ToolCall): void {
    if (this.#screened.size > 0) this.#screened.delete(keyOf(call));
  }

  allowed(call: ToolCall, verdict: Verdict): void {
    if (verdict.decision !== 'allow' || call.callId === '') return;
    if (verdict.approvalId === undefined && !this.#policy.concerns(call.tool, 'PostToolUse')) return;
    this.#allowed.set(keyOf(call), verdict, weightOf(verdict.args));
  }

  /** `post_tool_call`: it counts as run. A text that the model gets may be asked about right after this. */
  ended(call: ToolCall, payload: Payload, report: ReportSink): unknown {
    const status = statusOf(payload.status);
    const key = keyOf(call);
    if (status === undefined) return this.#settleBlocked(key);
    const isAsked = status === 'ok' && typeof payload.result === 'string' && call.callId !== '';
    if (!isAsked) return this.#screen(call, key, endOf(payload, status), report);
    const verdict = this.#allowed.get(key);
    if (!this.#policy.concerns(call.tool, 'PostToolUse'))
      return this.#screen(call, key, endOf(payload, status), report);
    if (this.#screened.has(key)) return undefined;
    // Read now: the payload is the agent's own, and is not read later.
    const end = endOf(payload, status);
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (!this.#screened.has(key)) return this.#screen(call, key, end, report, verdict);
      return undefined;
    });
  }

  /** `transform_tool_result`: another text for the model, or `undefined`. */
  async transformed(call: ToolCall, payload: Payload, report: ReportSink): Promise<string | undefined> {
    const key = keyOf(call);
    const end = endOf(payload, statusOf(payload.status) ?? 'ok');
    const before = this.#screened.get(key);
    const { isChanged, result } = await (before?.hasResult === true
      ? before.verdict
      : this.#screen(call, key, end, report));
    if (!isChanged || this.#policy.isObserving) return undefined;
    return typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
  }

  #screen(
    call: ToolCall,
    key: string,
    end: Omit<CallEnd, 'args'>,
    report: ReportSink,
    known?: Verdict,
  ): Promise<ResultVerdict> {
    const verdict = known ?? this.#allowed.get(key);
    this.#allowed.delete(key);
    const args = verdict?.decision === 'allow' ? verdict.args : undefined;
    const screened = this.#policy.result(call, args === undefined ? end : { ...end, args }, { report, verdict });
    const hasResult = end.result !== undefined;
    if (call.callId !== '') this.#screened.set(key, { verdict: screened, hasResult }, weightOf(end.result));
    return screened;
  }

  /** Blocked by somebody behind us: what was approved did not run, and never will. */
  #settleBlocked(key: string): unknown {
    const verdict = this.#allowed.get(key);
    if (verdict === undefined) return undefined;
    this.#allowed.delete(key);
    return this.#policy.settle(verdict);
  }
}

function endOf(payload: Payload, status: CallEnd['status']): Omit<CallEnd, 'args'> {
  const { result, error_type: errorType, duration_ms: durationMs } = payload;
  return {
    status,
    result,
    ...(typeof errorType === 'string' ? { errorType } : {}),
    ...(typeof durationMs === 'number' ? { durationMs } : {}),
  };
}

/** `undefined` for a call that did not run. */
function statusOf(status: unknown): CallEnd['status'] | undefined {
  if (status === 'blocked') return undefined;
  return status === 'error' || status === 'cancelled' || status === 'timeout' ? status : 'ok';
}

const keyOf = ({ sessionId, turnId, callId }: ToolCall): string => JSON.stringify([sessionId, turnId, callId]);
