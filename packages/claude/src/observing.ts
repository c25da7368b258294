import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type AdapterHost,
  BoundedMap,
  besideShared,
  Guard,
  onAbort,
  type ScopeStore,
  scopesOf,
  sharedObserver,
} from '@hermes-observer/adapter';
import { traceEnvironment } from '@hermes-observer/otel';
import { ClaudeRun } from './agent/run.js';
import type { RunInfo } from './agent/run-info.js';
import type { ClaudeOptions } from './options.js';
import { type Fields, fieldsOf, textOf } from './sdk/fields.js';
import { makesOwnSpans, providerIn } from './sdk/own-spans.js';
import { followQuery } from './wiring/followed-query.js';
import { hasToolHooks, observedOptions, plainOptions, type RunSource, type Wiring } from './wiring/program-options.js';
import { isToldBefore } from './wiring/stand-ins.js';

/** Sessions and calls of options that serve any number of queries. */
const MOST_SESSIONS = 1_000;

/** How queries are observed for one observer. */
export class Observing {
  readonly #host: AdapterHost;
  readonly #guard: Guard;
  readonly #scopes: ScopeStore;
  readonly #options: ClaudeOptions;

  constructor(options: ClaudeOptions) {
    this.#options = options;
    this.#host = options.observer ?? sharedObserver();
    this.#guard = new Guard('@hermes-observer/claude', options.onWarning);
    this.#scopes = scopesOf(this.#host, this.#guard);
    besideShared('claude', this.#host, this.#guard);
  }

  /** Whether spans of this are ours to make. */
  #yields(options: Fields): boolean {
    const { frameworkSpans = 'warn' } = this.#options;
    if (frameworkSpans === 'keep' || !makesOwnSpans(fieldsOf(options.env ?? process.env))) return false;
    if (frameworkSpans === 'yield') return true;
    this.#guard.tell(
      "Claude Code makes spans of the same requests (CLAUDE_CODE_ENHANCED_TELEMETRY_BETA), which now count twice: switch it off, or set frameworkSpans to 'yield' or 'keep'",
    );
    return false;
  }

  /** Options for one process of Claude Code, and the run that they tell; `undefined`: they stay as they are. */
  prepare(given: unknown, prompt: unknown): { options: Fields; run: ClaudeRun; hides: boolean } | undefined {
    if (isToldBefore(fieldsOf(given), this.#host)) return undefined;
    const options = plainOptions(fieldsOf(given), this.#host);
    if (this.#yields(options)) return undefined;
    const run = new ClaudeRun(this.#host, this.#guard, this.#info(options, textOf(prompt), true));
    const source: RunSource = { ofSession: () => run, ofCall: () => run };
    const { partialMessages = true, traceContext = false } = this.#options;
    const hides = partialMessages && options.includePartialMessages !== true;
    const observed = observedOptions(options, this.#wiring(source, true)) as Record<string, unknown>;
    if (hides) observed.includePartialMessages = true;
    if (traceContext)
      observed.env = { ...fieldsOf(options.env ?? process.env), ...traceEnvironment(this.#host.traceContext()) };
    const { signal } = fieldsOf(options.abortController) as { signal?: AbortSignal };
    // A program may have one for all of its queries.
    if (typeof signal?.addEventListener === 'function')
      run.atEnd(onAbort(signal, () => void this.#guard.safely(() => run.aborted())));
    return { options: observed, run, hides };
  }

  follow(query: object, run: ClaudeRun, hides: boolean): void {
    const isHidden = (message: unknown) =>
      hides && (fieldsOf(message).type === 'stream_event' || isRequesting(message));
    followQuery(query, run, isHidden, this.#guard);
  }

  /** Options alone: of hooks, for any number of queries. */
  options(given: unknown): Fields | undefined {
    if (isToldBefore(fieldsOf(given), this.#host)) return undefined;
    const options = plainOptions(fieldsOf(given), this.#host);
    if (this.#yields(options)) return undefined;
    const runs = new BoundedMap<string, ClaudeRun>(MOST_SESSIONS);
    const ofCalls = new BoundedMap<string, ClaudeRun>(MOST_SESSIONS * 10);
    const source: RunSource = {
      ofSession: (event) => {
        const session = textOf(event.session_id) ?? '';
        const run = runs.get(session) ?? new ClaudeRun(this.#host, this.#guard, this.#info(options, undefined, false));
        runs.set(session, run);
        const call = textOf(event.tool_use_id);
        if (call !== undefined) ofCalls.set(call, run);
        if (event.hook_event_name === 'SessionEnd') runs.delete(session);
        return run;
      },
      ofCall: (callId) => ofCalls.get(String(callId)),
    };
    return observedOptions(options, this.#wiring(source, false));
  }

  get guard(): Guard {
    return this.#guard;
  }

  #wiring(source: RunSource, isOfQuery: boolean): Wiring {
    return { source, guard: this.#guard, scopes: this.#scopes, host: this.#host, isOfQuery };
  }

  #info(options: Fields, prompt: string | undefined, hasMessages: boolean): RunInfo {
    const agents = Object.entries(fieldsOf(options.agents)).flatMap(([name, agent]) => {
      const model = textOf(fieldsOf(agent).model);
      return model === undefined ? [] : [[name, model] as const];
    });
    return {
      prompt,
      hasMessages,
      model: textOf(options.model),
      agentName: textOf(options.agent),
      agentModels: Object.fromEntries(agents),
      provider: providerIn(fieldsOf(options.env ?? process.env)),
      isResumed: options.resume !== undefined || options.continue === true,
      hasOwnToolHooks: hasToolHooks(options),
      around: this.#scopes.getStore(),
      inContext: AsyncLocalStorage.snapshot(),
    };
  }
}

/** Claude Code tells of this only where it tells of parts of messages. */
const isRequesting = (message: unknown): boolean => {
  const { type, subtype, status } = fieldsOf(message);
  return type === 'system' && subtype === 'status' && status === 'requesting';
};
