import { randomBytes } from 'node:crypto';
import type { Hub, PluginHub } from '@hermes-observer/core';
import { type FrozenValue, frozenCopy, UnreadableError } from '../call/canonical.js';
import type { ToolCall } from '../call/tool-call.js';
import type { Conclusion } from '../hooks/hook.js';
import { HookTable } from '../hooks/hook-table.js';
import type { RegisteredHook } from '../hooks/registered-hook.js';
import { ApprovalStep } from './approval-step.js';
import { PolicyBlockedError } from './blocked-error.js';
import { type Args, compose, type Denial, type Regime } from './compose.js';
import { blockedBy, Deliberation } from './deliberation.js';
import { Failures } from './failures.js';
import { type AttachOptions, attachToHub } from './hub-plugin.js';
import type { CallEndOf, DecideOptions, HubPolicy, ResultOptions, SessionInfo } from './hub-policy.js';
import { checkOptions, type PolicyOptions } from './options.js';
import { WaitingRoom } from './patience.js';
import { LONGEST_NAME, type Question, questionOf } from './question.js';
import { type CallEnd, type ResultVerdict, screenResult } from './result.js';
import { SessionStarts } from './session-starts.js';
import type { Allowed, Blocked, BlockKind, Verdict } from './verdict.js';

export interface PolicyStats {
  readonly decided: number;
  readonly allowed: number;
  readonly blocked: Readonly<Partial<Record<BlockKind, number>>>;
  /** Hooks, and the store of approvals, that could not decide or keep. */
  readonly failures: number;
}

/** What a policy would decide. */
export interface Explanation extends Conclusion {
  /** As `observer_policy_decision` reports them, in order. */
  readonly gates: readonly Readonly<Record<string, unknown>>[];
  /** What would run. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly digest: string;
}

/** Throws `HO_POLICY_CONFIG` for a mistake in options or hooks, and names the nearest known name. */
export function createPolicy(options: PolicyOptions): Policy {
  return new Policy(options);
}

const NO_ARGS: Args = Object.freeze({});

/** Decides about tool calls. See `docs/decisions/014-policy.md` for the way of one call. */
export class Policy implements HubPolicy {
  readonly name: string;
  readonly #hooks: HookTable;
  readonly #regime: Regime;
  readonly #deliberation: Deliberation;
  readonly #options: PolicyOptions;
  readonly #sessions = new SessionStarts();
  readonly #waiting = new WaitingRoom();
  #decided = 0;
  #allowed = 0;
  readonly #blocked: Partial<Record<BlockKind, number>> = {};

  /** @internal */
  constructor(options: PolicyOptions) {
    checkOptions(options);
    this.name = options.name ?? 'policy';
    this.#options = options;
    this.#hooks = new HookTable(options.hooks);
    const failures = new Failures(options.onFailure);
    this.#regime = { observeAll: options.mode === 'observe', evaluation: options.evaluation !== undefined, failures };
    const asks = options.evaluation === undefined ? 'ask' : options.evaluation.asks;
    const salt = options.approverSalt ?? randomBytes(16).toString('hex');
    const approval = new ApprovalStep(options.approvals, salt, failures);
    this.#deliberation = new Deliberation(this.name, this.#hooks, this.#regime, asks, approval);
  }

  /** Hooks in the order in which they run. */
  get hooks(): readonly Pick<RegisteredHook, 'name' | 'event' | 'priority' | 'mode' | 'onError' | 'version'>[] {
    return this.#hooks.all;
  }

  get stats(): PolicyStats {
    const { failures } = this.#regime;
    return { decided: this.#decided, allowed: this.#allowed, blocked: { ...this.#blocked }, failures: failures.count };
  }

  /**
   * Decides whether a call may run, and waits for a person where one has to be asked. Never rejects: what goes wrong blocks.
   * An allowed call that a person approved counts as executing from then on: report its end with `result`.
   */
  async decide(call: ToolCall, options: DecideOptions = {}): Promise<Verdict> {
    this.#decided++;
    let question: Question;
    let given: FrozenValue<Args>;
    try {
      question = questionOf('PreToolUse', call, options.signal, options.report ?? this.#options.report);
      given = frozenCopy(argsOf(call));
    } catch (error) {
      return this.#count(this.#asObserver(call) ?? this.#unreadable(error));
    }
    try {
      return this.#count(await this.#decide(question, given, options));
    } catch (error) {
      // Nothing above is known to throw. If it does, nobody has decided.
      this.#regime.failures.add({ gate: '', event: 'PreToolUse', kind: 'hook_error', error });
      const denial: Denial = { by: '', kind: 'hook_error', reason: 'The policy failed, and could not decide.' };
      return this.#count(this.#asObserver(call) ?? blockedBy(question, denial));
    }
  }

  /**
   * What hooks say of a call: nothing is asked of a person, reported, or written down by hooks that are told of conclusions.
   * Hooks that count calls count this one. Throws for a call that cannot be read.
   */
  async explain(call: ToolCall): Promise<Explanation> {
    const gates: Readonly<Record<string, unknown>>[] = [];
    const question = questionOf('PreToolUse', call, undefined, {
      report: (_hook, payload) => void gates.push(payload),
    });
    const candidates = this.#hooks.candidates('PreToolUse', question.tool);
    const composed = await compose(question, frozenCopy(argsOf(call)), candidates, this.#regime);
    const { outcome, kind, reason, by } = this.#deliberation.conclusion(composed);
    return { outcome, kind, reason, by, gates, args: composed.frozen.value, digest: composed.digest };
  }

  /** Whether any hook could be about a call of this tool, or about its result. */
  concerns(tool: string, event: 'PreToolUse' | 'PostToolUse'): boolean {
    if (this.#hooks.candidates(event, tool).length > 0) return true;
    // A session that was refused refuses all calls.
    return event === 'PreToolUse' && this.#hooks.candidates('SessionStart', '').length > 0;
  }

  get isObserving(): boolean {
    return this.#regime.observeAll;
  }

  /**
   * Decides, runs `fn` with the frozen arguments, at most once, and passes on what it returns, as hooks for results leave it.
   * Throws a `PolicyBlockedError` for a call that may not run, and what `fn` throws.
   */
  async run<T>(call: ToolCall, fn: (args: Args) => T | PromiseLike<T>, options: DecideOptions = {}): Promise<T> {
    const verdict = await this.decide(call, options);
    if (verdict.decision === 'block') throw new PolicyBlockedError(call.tool, verdict, false);
    const began = performance.now();
    const ended = (end: Omit<CallEnd, 'args' | 'durationMs'>) =>
      this.result(call, { ...end, args: verdict.args, durationMs: performance.now() - began }, { ...options, verdict });
    let value: T;
    try {
      value = await fn(verdict.args);
    } catch (error) {
      await ended({ status: statusOf(error, options.signal), errorType: nameOf(error) });
      throw error;
    }
    const { result, isChanged, withheld } = await ended({ status: 'ok', result: value });
    if (withheld !== undefined) {
      throw new PolicyBlockedError(
        call.tool,
        { ...verdict, decision: 'block', kind: withheld.kind, reason: withheld.reason, by: [withheld.by] },
        true,
      );
    }
    return isChanged ? (result as T) : value;
  }

  /**
   * A call ended, however: what was approved counts as executed, and hooks for results are asked. Never rejects. `verdict` is
   * what `decide` gave.
   */
  async result(call: ToolCall, end: CallEndOf, options: ResultOptions = {}): Promise<ResultVerdict> {
    const { verdict } = options;
    if (verdict !== undefined) await this.settle(verdict);
    const { tool } = call;
    const candidates = this.#hooks.candidates('PostToolUse', typeof tool === 'string' ? tool : '');
    if (candidates.length === 0) return { result: end.result, isChanged: false, withheld: undefined, by: [] };
    try {
      // Not its signal: a call that was called off has ended all the same, and hooks are told of it.
      const question = {
        ...questionOf('PostToolUse', call, undefined, options.report ?? this.#options.report),
        ...(verdict === undefined ? {} : { decisionId: verdict.decisionId }),
      };
      const args = end.args ?? frozenCopy(argsOf(call)).value;
      return await screenResult(question, { ...end, args }, candidates, this.#regime);
    } catch (error) {
      this.#regime.failures.add({ gate: '', event: 'PostToolUse', kind: 'hook_error', error });
      const withheld: Denial = {
        by: '',
        kind: 'hook_error',
        reason: 'The policy failed, and could not decide about the result.',
      };
      if (this.#regime.observeAll) return { result: end.result, isChanged: false, withheld: undefined, by: [] };
      return { result: withheld.reason, isChanged: true, withheld, by: [] };
    }
  }

  /**
   * What a person approved counts as executed; nothing for other calls. Never rejects: a record that cannot be written stays
   * `executing`, and never runs again.
   */
  async settle(verdict: Verdict): Promise<void> {
    if (verdict.decision !== 'allow' || verdict.approvalId === undefined) return;
    try {
      await this.#options.approvals?.settle(verdict.approvalId);
    } catch (error) {
      this.#regime.failures.add({ gate: '', event: 'PostToolUse', kind: 'hook_error', error });
    }
  }

  /** A session starts. Calls of one that is refused are blocked, and so are those that come before the hooks have answered. */
  sessionStart(
    session: SessionInfo,
    options: Pick<DecideOptions, 'signal' | 'report'> = {},
  ): Promise<Blocked | undefined> {
    const candidates = this.#hooks.candidates('SessionStart', '');
    if (candidates.length === 0) return Promise.resolve(undefined);
    const start = this.#startSession(session, options);
    // Calls in one of such a name are blocked as they are.
    if (String(session.sessionId).length > LONGEST_NAME) return start;
    this.#sessions.follow(String(session.sessionId), start);
    return start;
  }

  /** Makes it decide about the calls of a hub. Returns the function that ends that. Throws as `hub.use` does. */
  attach(hub: Pick<Hub, 'use'>, options: AttachOptions = {}): () => void {
    return hub.use({ name: `policy:${this.name}`, setup: (own: PluginHub) => attachToHub(this, own, options) });
  }

  /** Whoever waits for a person waits no more: those calls are blocked as `pending`, and their questions stay. Closes the hooks. */
  async close(): Promise<void> {
    this.#waiting.close();
    for (const { name, event, close } of this.#hooks.all) {
      try {
        await close?.();
      } catch (error) {
        this.#regime.failures.add({ gate: name, event, kind: 'hook_error', error });
      }
    }
  }

  async #decide(question: Question, given: FrozenValue<Args>, options: DecideOptions): Promise<Verdict> {
    const { signal, sessionId, decisionId } = question;
    const refused = this.#sessions.refusalOf([sessionId, ...(options.parentSessions ?? [])]);
    const session = refused instanceof Promise ? await refused : refused;
    if (session !== undefined) return { ...session, decisionId };
    const deadlineMs = options.deadlineMs ?? Number.POSITIVE_INFINITY;
    return await this.#deliberation.decide(question, given, () =>
      this.#waiting.enter(signal, deadlineMs, options.leave),
    );
  }

  async #startSession(
    session: SessionInfo,
    options: Pick<DecideOptions, 'signal' | 'report'>,
  ): Promise<Blocked | undefined> {
    try {
      const call = { ...session, tool: '', callId: '', turnId: '', taskId: '' };
      const question = questionOf('SessionStart', call, options.signal, options.report ?? this.#options.report);
      const composed = await compose(
        question,
        frozenCopy(NO_ARGS),
        this.#hooks.candidates('SessionStart', ''),
        this.#regime,
      );
      const denial = composed.denials.find(({ kind }) => kind === 'denied') ?? composed.denials[0];
      return denial === undefined
        ? undefined
        : blockedBy(
            question,
            denial,
            composed.denials.map(({ by }) => by),
          );
    } catch (error) {
      return this.#unreadable(error);
    }
  }

  #unreadable(error: unknown): Blocked {
    this.#regime.failures.add({ gate: '', event: 'PreToolUse', kind: 'hook_error', error });
    // Any other error is of the call's own making, and may quote what is in it.
    const why = error instanceof UnreadableError ? `: ${error.message}` : '';
    return {
      decision: 'block',
      decisionId: '',
      by: [],
      approvalId: undefined,
      kind: 'hook_error',
      reason: `The policy cannot read the call${why}.`,
    };
  }

  /** A policy that observes lets also those calls be that it cannot read: as they are. */
  #asObserver(call: ToolCall | undefined): Allowed | undefined {
    if (!this.#regime.observeAll) return undefined;
    const args = call?.args ?? NO_ARGS;
    return { decision: 'allow', decisionId: '', by: [], approvalId: undefined, args, digest: '' };
  }

  #count(verdict: Verdict): Verdict {
    if (verdict.decision === 'allow') this.#allowed++;
    else this.#blocked[verdict.kind] = (this.#blocked[verdict.kind] ?? 0) + 1;
    return verdict;
  }
}

function argsOf({ args }: ToolCall): Args {
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new UnreadableError('its arguments are no object');
  const prototype: unknown = Object.getPrototypeOf(args);
  if (prototype !== Object.prototype && prototype !== null)
    throw new UnreadableError('its arguments are an object of a class');
  return args;
}

function statusOf(error: unknown, signal: AbortSignal | undefined): CallEnd['status'] {
  const name = nameOf(error);
  if (name === 'TimeoutError') return 'timeout';
  return name === 'AbortError' || signal?.aborted === true ? 'cancelled' : 'error';
}

function nameOf(error: unknown): string {
  try {
    const name: unknown = (error as { name?: unknown } | null | undefined)?.name;
    return typeof name === 'string' && name !== '' ? name.slice(0, 128) : '_OTHER';
  } catch {
    return '_OTHER';
  }
}
