import {
  Hub,
  isThenable,
  LONGEST_TIMER_MS,
  now,
  type RedactionKind,
  settle,
  type TraceContext,
} from '@hermes-observer/core';
import type * as Api from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import type * as AsyncHooks from '@opentelemetry/context-async-hooks';
import type { SpanIds } from '../assembly/assembler.js';
import { DEFAULT_CLOCK } from '../assembly/clock.js';
import { SpanBridge } from '../bridge/span-bridge.js';
import { type AdapterScope, activeContext, currentScope, runIn } from '../instrument/active-span.js';
import { callerIn } from '../instrument/caller.js';
import { InstrumentedTurn, type TurnInfo } from '../instrument/turn.js';
import { addTo } from '../sdk/counted-result.js';
import { loadPeer } from '../sdk/peer.js';
import { checkOptions } from './check-options.js';
import { callerOfProgram } from './environment.js';
import { type ExportCounts, exportCounts } from './export-counts.js';
import { LossReport } from './loss-report.js';
import type { ObserverOptions } from './options.js';
import { createPipeline, type Pipeline } from './pipeline.js';
import { reasonOf } from './reason.js';
import { selfMetrics } from './self-metrics.js';
import { SilenceWatch } from './silence-watch.js';

const CLOCK_TICK_MS = 5_000;
const TIMEOUT_MS = 30_000;
/** What metrics and logs get for their last request where spans took all the time. */
const LAST_SIGNALS_MS = 1_000;

/** What became of spans so far; with several exporters the sums over them. */
export interface ObserverCounts extends ExportCounts {
  readonly exportedSpans: number;
  /** Spans that an exporter did not take. */
  readonly failedSpans: number;
  /** The same by why: `refused`, `rejected` by a partial success, `unreachable`, `timeout`, `shutdown`, a class of error … */
  readonly failedByReason: Readonly<Record<string, number>>;
  /** Spans that `beforeExport` left out. */
  readonly leftOutSpans: number;
  /** Secrets and personal data that `redaction` took out, for each exporter. */
  readonly redactedValues: number;
  /** The same by kind: `api_key`, `email` … */
  readonly redactedByKind: Readonly<Partial<Record<RedactionKind, number>>>;
  /** Spans that found a queue full, or ended after `shutdown()`. */
  readonly droppedSpans: number;
  readonly openSpans: number;
}

const AFTER_SHUTDOWN = 'a turn began after shutdown(): it is not recorded; make another observer';

/**
 * A hub, the spans made of what it hears, and where they go, in one. Nothing it does reaches the agent: hooks never
 * throw, exporters that fail are counted and told of once.
 */
export class Observer implements AsyncDisposable {
  readonly hub: Hub;
  readonly #bridge: SpanBridge;
  readonly #pipeline: Pipeline | undefined;
  readonly #options: ObserverOptions;
  readonly #silence: SilenceWatch;
  readonly #detach: (() => void)[];
  readonly #clock: NodeJS.Timeout;
  readonly #warned = new Set<string>();
  readonly #losses = new LossReport((text) => this.#say(text));
  #shutdown: Promise<void> | undefined;
  #releaseGlobal: () => void = () => {};

  /** @throws ObserverError `HO_OPTION` for a wrong setting, `HO_PEER_MISSING` for a package that is needed. */
  constructor(options: ObserverOptions = {}) {
    checkOptions(options);
    this.#options = options;
    const env = options.env ?? process.env;
    const warn = (text: string) => this.#warn(text);
    this.#pipeline = options.tracerProvider === undefined ? createPipeline(options, env, warn) : undefined;
    const tracerProvider = options.tracerProvider ?? this.#pipeline?.provider;
    if (tracerProvider === undefined) throw new TypeError('unreachable: a pipeline has a provider');
    const ownCaller = callerOfProgram(env);
    this.hub = options.hub ?? new Hub({ onError: ({ message }) => warn(message) });
    this.#bridge = new SpanBridge({
      tracerProvider,
      agentName: options.agentName ?? 'hermes',
      capture: options.capture ?? 'none',
      caller: options.caller ?? 'parent',
      onError: (error) => warn(`the tracer failed: ${reasonOf(error)}`),
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      ...(options.attributes === undefined ? {} : { attributes: options.attributes }),
      ...(ownCaller === undefined ? {} : { ownCaller }),
    });
    this.#silence = new SilenceWatch(() => this.#silentBecause(), warn);
    this.#detach = [
      this.#bridge.attach(this.hub),
      this.hub.on('on_session_end', () => this.#silence.turnEnded(), { name: 'silence-watch' }),
    ];
    const { signals } = this.#pipeline ?? {};
    if (signals !== undefined) this.#detach.push(signals.attach(this.hub, (ids) => this.contextOf(ids)));
    this.#clock = setInterval(() => this.#tick(), CLOCK_TICK_MS);
    this.#clock.unref();
    this.#startMetrics();
    if (options.global === true) this.#makeGlobal();
  }

  #startMetrics(): void {
    const pipeline = this.#pipeline;
    if (pipeline === undefined) return;
    for (const provider of new Set([this.#options.meterProvider, pipeline.signals?.meterProvider])) {
      if (provider === undefined) continue;
      try {
        selfMetrics(provider, pipeline);
      } catch (error) {
        this.#warn(`meterProvider failed: ${reasonOf(error)}`);
      }
    }
  }

  /**
   * Runs `fn` as one turn of the agent. Inside it `turn.request`, `turn.tool`, `turn.subagent` and `turn.approval` make
   * the spans below. Its value is passed through and its error thrown again.
   */
  turn<T>(info: TurnInfo, fn: (turn: InstrumentedTurn) => T | Promise<T>): Promise<T> {
    return InstrumentedTurn.run(
      { hub: this.hub, contextOf: (ids) => this.contextOf(ids), ...this.#approver() },
      info,
      fn,
    );
  }

  #approver() {
    return this.#options.approve === undefined ? {} : { approve: this.#options.approve };
  }

  /**
   * The OpenTelemetry context in which the span of a turn, tool call or request is the active one: for outgoing
   * `traceparent` headers and child processes. `undefined` when no such span is known.
   */
  contextOf(ids: SpanIds): Context | undefined {
    this.hub.deliverWaiting();
    return this.#bridge.contextOf(ids);
  }

  /**
   * Calls `fn` at once in a scope, with its span as the active one, and gives what it returns. For adapters, which hear of
   * the agent's work and do not call it themselves.
   * @param isBrief The scope may end with the first `await` in `fn`: it does on Node.js before 24, while nothing needs more
   */
  run<T>(scope: AdapterScope, fn: () => T, isBrief?: boolean): T {
    return runIn(scope, fn, isBrief);
  }

  /** The scope the code runs in: the object that `run` was given, of any observer, or one of `turn`'s. */
  get scope(): AdapterScope | undefined {
    return currentScope();
  }

  /**
   * W3C headers of a span, for HTTP requests, `_meta` of MCP, child processes (`traceEnvironment`). Empty when there is none.
   * @param ids @default the code that runs
   */
  traceContext(ids?: SpanIds): TraceContext {
    try {
      const context = ids === undefined ? activeContext() : this.contextOf(ids);
      return (context && callerIn(context, this.#options.baggage ?? [])) ?? {};
    } catch {
      return {};
    }
  }

  /**
   * Waits until every span that has ended was exported or given up, at most `timeoutMillis`. Never rejects: what failed
   * is in `counts`, and warned of once.
   * @param isEnd the program has nothing left to do: a backend that cannot be reached is tried again for half a second alone
   */
  async flush(timeoutMillis?: number, isEnd = false): Promise<void> {
    const millis = this.#timeout(timeoutMillis);
    this.hub.deliverWaiting();
    if (isEnd) for (const batches of this.#pipeline?.batches ?? []) batches.hurry(millis);
    await bounded(millis, () => this.#flushProvider(millis));
    this.#tellFailures();
  }

  /**
   * Ends open turns as incomplete, flushes, and closes the exporters of our own provider. At `timeoutMillis` it waits no
   * longer: spans that are still on their way count as failed. Once; never rejects.
   */
  shutdown(timeoutMillis?: number): Promise<void> {
    this.#shutdown ??= this.#close(this.#timeout(timeoutMillis));
    return this.#shutdown;
  }

  async #close(millis: number): Promise<void> {
    const end = performance.now() + millis;
    clearInterval(this.#clock);
    // An observer's callback has asked for it: what waits behind that is heard first.
    if (this.hub.isDelivering) await undefined;
    this.hub.deliverWaiting();
    this.#bridge.closeAll('shutdown');
    for (const detach of this.#detach) detach();
    // With a hub of the program's own another observer may go on where this one ends.
    if (this.#options.hub === undefined) this.hub.on('pre_llm_call', () => this.#warn(AFTER_SHUTDOWN));
    this.#releaseGlobal();
    const provider = this.#pipeline?.provider;
    await bounded(millis, () =>
      provider === undefined ? this.#flushProvider(millis) : provider.shutdown({ timeoutMillis: millis }),
    );
    for (const batches of this.#pipeline?.batches ?? []) batches.giveUp();
    const { signals } = this.#pipeline ?? {};
    // Last, since they tell what became of spans.
    if (signals !== undefined)
      await bounded(Math.max(LAST_SIGNALS_MS, end - performance.now()), () => signals.shutdown());
    // What was on its way is counted a moment later.
    await new Promise((resolve) => setImmediate(resolve));
    this.#tellFailures(true);
    this.#silence.end();
  }

  /** A provider that was passed may be a proxy for the one that flushes. */
  async #flushProvider(timeoutMillis: number): Promise<void> {
    if (this.#pipeline !== undefined) {
      const { provider, signals } = this.#pipeline;
      await Promise.allSettled([provider.forceFlush({ timeoutMillis }), signals?.flush()]);
      return;
    }
    const given = this.#options.tracerProvider as { getDelegate?(): unknown } | undefined;
    const provider = given?.getDelegate?.() ?? given;
    await (provider as { forceFlush?(): Promise<void> } | undefined)?.forceFlush?.();
  }

  #timeout(millis = this.#options.timeoutMillis ?? TIMEOUT_MS): number {
    return Number.isNaN(millis) ? TIMEOUT_MS : Math.min(Math.max(millis, 0), LONGEST_TIMER_MS);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  get counts(): ObserverCounts {
    this.hub.deliverWaiting();
    const { batches = [], exporters = [] } = this.#pipeline ?? {};
    const failedByReason: Record<string, number> = {};
    for (const batch of batches) {
      for (const [reason, spans] of Object.entries(batch.failedByReason)) addTo(failedByReason, reason, spans);
    }
    return {
      ...exportCounts(exporters),
      failedByReason,
      exportedSpans: batches.reduce((sum, batch) => sum + batch.exportedSpans, 0),
      failedSpans: batches.reduce((sum, batch) => sum + batch.failedSpans, 0),
      droppedSpans: batches.reduce((sum, batch) => sum + batch.droppedSpans, 0),
      leftOutSpans: batches.reduce((sum, batch) => sum + batch.leftOutSpans, 0),
      redactedValues: this.#pipeline?.redactor?.redactedValues ?? 0,
      redactedByKind: this.#pipeline?.redactor?.counts ?? {},
      openSpans: this.#bridge.openSpans,
    };
  }

  /** Decisions of the clock go out as records first: whoever keeps the stream can replay them. */
  #tick(): void {
    this.hub.deliverWaiting();
    this.#tellFailures();
    for (const decision of this.#bridge.due(now(), { ...DEFAULT_CLOCK, ...this.#options.clock })) {
      this.hub.emit('observer_closed', { ...decision });
    }
  }

  #silentBecause(): string | undefined {
    const pipeline = this.#pipeline;
    if (pipeline === undefined) return this.#bridge.recording === false ? NO_OP_PROVIDER : undefined;
    if (pipeline.silentBecause !== undefined) return pipeline.silentBecause;
    const { batches } = pipeline;
    if (batches.length === 0 || batches.some(({ exportedSpans }) => exportedSpans > 0)) return undefined;
    // Spans that were not exported are told of, with the reason.
    this.#tellFailures();
    if (batches.some(({ failedSpans }) => failedSpans > 0)) return undefined;
    if (batches.some(({ leftOutSpans }) => leftOutSpans > 0)) return 'beforeExport left all of them out';
    if (this.#bridge.recording === false) {
      return 'the sampler takes none of them (OTEL_TRACES_SAMPLER), or a caller said so (the last digits of traceparent)';
    }
    return 'the exporter has not answered yet';
  }

  #tellFailures(isLast = false): void {
    const { batches = [], exporters = [] } = this.#pipeline ?? {};
    const look = (kind: string, count: number, say: (since: number) => string) =>
      this.#losses.look(kind, count, say, isLast);
    batches.forEach(({ failedSpans, droppedSpans, lastError }, i) => {
      const reason = reasonOf(lastError ?? 'no reason given');
      look(`failed ${i}`, failedSpans, (since) => `${spansWere(since)} not exported: ${reason}`);
      const why = 'more ended than the exporter takes, or after shutdown()';
      look(`dropped ${i}`, droppedSpans, (since) => `${spansWere(since)} dropped: ${why}`);
    });
    const { cutSpans, spool } = exportCounts(exporters);
    look('cut', cutSpans, (since) => `${spansWere(since)} sent with something cut off (hermes.export.cut)`);
    const reasons = Object.entries(spool?.lostByReason ?? {}).map(([reason, spans]) => `${reason} ${spans}`);
    look('spool', spool?.lostSpans ?? 0, (since) => `${spansWere(since)} lost from the spool: ${reasons.join(', ')}`);
  }

  /** Each text once: a fault that repeats says nothing new. */
  #warn(text: string): void {
    if (this.#warned.has(text) || this.#warned.size >= 100) return;
    this.#warned.add(text);
    this.#say(text);
  }

  #say(text: string): void {
    try {
      if (this.#options.onWarning === undefined) process.emitWarning(text, { type: 'HermesObserver' });
      else {
        const returned: unknown = this.#options.onWarning(text);
        if (isThenable(returned)) settle(returned, undefined, () => {});
      }
    } catch {
      // Whoever is told of a fault may not become one.
    }
  }

  #makeGlobal(): void {
    const { AsyncLocalStorageContextManager } = loadPeer<typeof AsyncHooks>(
      '@opentelemetry/context-async-hooks',
      'global: true',
    );
    // By the program's own copy, since what is registered by one version of the API is not seen by newer ones.
    const { context, trace } = loadPeer<typeof Api>('@opentelemetry/api', 'global: true');
    const provider = this.#options.tracerProvider ?? this.#pipeline?.provider;
    const ownsContext = context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const ownsTracing = provider !== undefined && trace.setGlobalTracerProvider(provider);
    if (!ownsTracing) this.#warn('global: true had no effect: another tracer provider is the global one already');
    // Another observer can be the global one after this.
    this.#releaseGlobal = () => {
      if (ownsContext) context.disable();
      if (ownsTracing) trace.disable();
    };
  }
}

const spansWere = (count: number) => `${count} ${count === 1 ? 'span was' : 'spans were'}`;

const NO_OP_PROVIDER =
  'the tracer provider given makes no recording spans (its SDK was not started, or samples nothing)';

/** Waits for `work`, whatever becomes of it, but not longer than `millis`. */
async function bounded(millis: number, work: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  const done = (async () => work())().catch(() => undefined);
  await Promise.race([done, late]);
  clearTimeout(timer);
}
