import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type AdapterHost,
  BoundedMap,
  besideShared,
  Guard,
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
import { hasToolHooks, observedOptions, plainOptions, type RunSource } from './wiring/program-options.js';

type AnyFunction = (this: unknown, ...args: never[]) => unknown;

/** Sessions and calls of options that serve any number of queries. */
const MOST_SESSIONS = 1_000;

class Observing {
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

  /** Options for one process of Claude Code, and the run that they tell; `undefined`: as they are. */
  prepare(given: unknown, prompt: unknown): { options: Fields; run: ClaudeRun; hides: boolean } | undefined {
    const options = plainOptions(fieldsOf(given));
    if (this.#yields(options)) return undefined;
    const run = new ClaudeRun(this.#host, this.#guard, this.#info(options, textOf(prompt), true));
    const source: RunSource = { ofSession: () => run, ofCall: () => run };
    const { partialMessages = true, traceContext = false } = this.#options;
    const hides = partialMessages && options.includePartialMessages !== true;
    const observed: Record<string, unknown> = { ...observedOptions(options, this.#wiring(source)) };
    if (hides) observed.includePartialMessages = true;
    if (traceContext)
      observed.env = { ...fieldsOf(options.env ?? process.env), ...traceEnvironment(this.#host.traceContext()) };
    const { signal } = fieldsOf(options.abortController) as { signal?: AbortSignal };
    signal?.addEventListener?.('abort', () => void this.#guard.safely(() => run.aborted()), { once: true });
    return { options: observed, run, hides };
  }

  follow(query: object, run: ClaudeRun, hides: boolean): void {
    const isHidden = (message: unknown) =>
      hides && (fieldsOf(message).type === 'stream_event' || isRequesting(message));
    followQuery(query, run, isHidden, this.#guard);
  }

  /** Options alone: of hooks, for any number of queries. */
  options(given: unknown): Fields | undefined {
    const options = plainOptions(fieldsOf(given));
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
    return observedOptions(options, this.#wiring(source));
  }

  get guard(): Guard {
    return this.#guard;
  }

  #wiring(source: RunSource) {
    return { source, guard: this.#guard, scopes: this.#scopes };
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

/**
 * The `query` of `@anthropic-ai/claude-agent-sdk`, of the same type, whose turns are observed. What it gives, throws and calls, and
 * when, is what `query` does. The SDK itself is not loaded here.
 *
 * ```ts
 * import * as sdk from '@anthropic-ai/claude-agent-sdk';
 *
 * const query = observedQuery(sdk.query, { observer });
 * ```
 *
 * @throws ObserverError where no `observer` is given and the environment has a wrong setting.
 */
export function observedQuery<Query extends AnyFunction>(query: Query, options: ClaudeOptions = {}): Query {
  return queryOf(query, new Observing(options));
}

function queryOf<Query extends AnyFunction>(query: Query, observing: Observing): Query {
  const { guard } = observing;
  const observed = function (this: unknown, params: unknown, ...rest: unknown[]): unknown {
    const prepared = guard.safely(() => observing.prepare(fieldsOf(params).options, fieldsOf(params).prompt));
    const given = prepared === undefined ? params : { ...fieldsOf(params), options: prepared.options };
    const result = query.apply(this, [given, ...rest] as never);
    if (prepared !== undefined && typeof result === 'object' && result !== null) {
      guard.safely(() => observing.follow(result, prepared.run, prepared.hides));
    }
    return result;
  };
  return observed as unknown as Query;
}

/** `startup` of the SDK, of the same type: the query that it prepares is observed. */
function observedStartup<Startup extends AnyFunction>(startup: Startup, observing: Observing): Startup {
  const { guard } = observing;
  const observed = function (this: unknown, params: unknown, ...rest: unknown[]): unknown {
    const prepared = guard.safely(() => observing.prepare(fieldsOf(params).options, undefined));
    const given = prepared === undefined ? params : { ...fieldsOf(params), options: prepared.options };
    const result = startup.apply(this, [given, ...rest] as never) as Promise<Record<string, unknown>>;
    if (prepared === undefined) return result;
    return result.then((warm) => {
      guard.safely(() => {
        const query = warm.query as (...args: unknown[]) => object;
        warm.query = (...args: unknown[]) => {
          const started = query.apply(warm, args);
          guard.safely(() => observing.follow(started, prepared.run, prepared.hides));
          return started;
        };
      });
      return warm;
    });
  };
  return observed as unknown as Startup;
}

/**
 * The module `@anthropic-ai/claude-agent-sdk`, of the same type, with a `query` and a `startup` that are observed. All else in it is
 * the SDK's own.
 *
 * @throws ObserverError where no `observer` is given and the environment has a wrong setting.
 */
export function instrumentClaude<Sdk extends object>(sdk: Sdk, options: ClaudeOptions = {}): Sdk {
  const observing = new Observing(options);
  const { query, startup } = sdk as { query?: AnyFunction; startup?: AnyFunction };
  return {
    ...sdk,
    ...(typeof query === 'function' ? { query: queryOf(query, observing) } : {}),
    ...(typeof startup === 'function' ? { startup: observedStartup(startup, observing) } : {}),
  };
}

/**
 * Options for a `query` that cannot be wrapped, of the same type. Hooks tell of turns, tools, subagents and approvals, and of nothing
 * that only messages have: requests, tokens, how a turn failed.
 *
 * @throws ObserverError where no `observer` is given and the environment has a wrong setting.
 */
export function withObserver<Options extends object>(options: Options, own: ClaudeOptions = {}): Options {
  const observing = new Observing(own);
  return (observing.guard.safely(() => observing.options(options)) ?? options) as Options;
}
