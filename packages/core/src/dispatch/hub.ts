import type { HookPayloads, KnownHook } from '../contract/hook-map.js';
import type { EmitMeta, HookMeta, Payload } from '../contract/record.js';
import type { HrTime } from '../contract/time.js';
import { ObserverError } from '../errors.js';
import type { AskContext, AskOptions, Responder, ResponderCallback } from './ask.js';
import { runInquiry } from './ask.js';
import type { AskResult } from './directives.js';
import type { FailureCounts, FailureReport } from './failures.js';
import { FailureLog } from './failures.js';
import type { Listeners, ObserverCallback, ProducerIdentity } from './observers.js';
import { deliver, ObserverTable } from './observers.js';
import type { Plugin } from './plugin.js';
import { PluginTable } from './plugin.js';
import type { Registration, RegistrationOptions } from './registration.js';
import { registration, withEntry } from './registration.js';
import { WaitingCalls } from './waiting.js';

/** Payload of a hook: typed where the contract knows the hook, open for any other name. */
export type PayloadOf<Hook extends string> = Hook extends KnownHook ? HookPayloads[Hook] : Payload;

/** A known name, for completion, or any other. */
export type HookName = KnownHook | (string & {});

export interface HubOptions {
  /** Id of this process as a producer of records. @default 16 random hex digits, drawn when first needed */
  producer?: string | undefined;
  /** Gets each failure once. @default `process.emitWarning` */
  onError?: ((report: FailureReport) => void) | undefined;
}

export interface HubStats {
  /** Hook calls that were handed to someone. Calls that nobody listened to are not counted. */
  emitted: number;
  /** Questions that had a responder. */
  asked: number;
  failures: FailureCounts;
}

/** What a plugin gets: the hub's calls, with registrations that end with the plugin. */
export type PluginHub = Pick<Hub, 'on' | 'respond' | 'emit' | 'emitLater' | 'ask' | 'has' | 'hasResponder'>;

/** Emits inside callbacks of emits inside callbacks … more than this is a circle. */
const DEEPEST = 64;
const NO_RESPONDERS: readonly Responder[] = [];

/**
 * Brings hook calls to observers, and questions to responders. Observers fail open: nothing one does reaches the caller
 * of `emit`. Guards fail closed: see `ask`.
 *
 * Each hook also goes out on the `node:diagnostics_channel` channel `hermes.observer:<hook>` as `{ hook, payload, meta }`.
 * Its subscribers are Node's: what one throws there becomes an uncaught exception of the process on the next tick, as
 * with every such channel. Subscribe with `onHookChannel` to be safe.
 */
export class Hub {
  readonly #observers: ObserverTable;
  readonly #responders = new Map<string, readonly Responder[]>();
  readonly #failures: FailureLog;
  readonly #identity: ProducerIdentity;
  readonly #plugins: PluginTable<PluginHub>;
  readonly #waiting = new WaitingCalls((hook, payload, meta, time) => this.#emit(hook, payload, meta, time));
  #depth = 0;
  /** A circle was cut: until the outermost emit returns, nothing inside it is emitted, or each level could start anew. */
  #inCircle = false;
  #emitted = 0;
  #asked = 0;

  constructor(options: HubOptions = {}) {
    this.#failures = new FailureLog(options.onError);
    this.#observers = new ObserverTable(this.#failures);
    this.#identity = new OwnIdentity(options.producer);
    this.#plugins = new PluginTable(this.#failures, (name, track) => this.#scoped(name, track));
  }

  /** Id that records of this hub carry where the caller gives none. */
  get producer(): string {
    return this.#identity.producer;
  }

  /**
   * Calls `callback` for each call of `hook`, `'*'` for every hook, on the caller's stack. Payloads are the producer's
   * live objects: read them, take a `snapshot` to keep them, never change them. A returned promise is not waited for.
   * Returns the function that ends it. Throws `HO_HOOK_NAME`, `HO_CALLBACK` or `HO_OPTION`.
   */
  on<Hook extends HookName>(
    hook: Hook,
    callback: (payload: PayloadOf<Hook>, meta: HookMeta) => unknown,
    options?: RegistrationOptions,
  ): () => void {
    return this.#observe(registration(hook, callback as ObserverCallback, options, undefined));
  }

  /**
   * Tells all observers of a hook call, before it returns. A function as payload is called only when someone listens,
   * and once. Never throws. `meta` that is absent is stamped: time, and this hub's producer id and count where neither
   * is given.
   */
  emit<Hook extends HookName>(hook: Hook, payload: PayloadOf<Hook> | (() => PayloadOf<Hook>), meta?: EmitMeta): void {
    // Calls are heard in the order in which they were made.
    if (this.#waiting.size > 0) this.#waiting.deliver();
    this.#emit(hook, payload, meta);
  }

  /**
   * As `emit`, but observers are told a moment later, with the `time` of the call: some ten milliseconds, and before any
   * other call, at `deliverWaiting` and at the end of the process. For producers that are called in the middle of the agent's
   * work, which goes on the sooner. `payload` is called then, so what it reads may not change; and only when someone listens.
   * Whose asynchronous context observers run in is not said.
   *
   * @param time when it happened, where `meta` does not say so @default now
   */
  emitLater<Hook extends HookName>(hook: Hook, payload: () => PayloadOf<Hook>, meta?: EmitMeta, time?: HrTime): void {
    if (this.has(hook)) this.#waiting.add(hook, payload, meta, time);
  }

  /** Tells observers now of all that `emitLater` was called for; inside an observer's callback it does nothing. Never throws. */
  deliverWaiting(): void {
    this.#waiting.deliver();
  }

  /** Whether observers are being told of what waited. */
  get isDelivering(): boolean {
    return this.#waiting.isDelivering;
  }

  /** Whether anyone would see an `emit` of this hook: an observer, or a subscriber of its diagnostics channel. */
  has(hook: HookName): boolean {
    const listeners = this.#observers.get(hook);
    return listeners.observers.length > 0 || listeners.channel.hasSubscribers;
  }

  /**
   * Answers questions about `hook`: what the agent is to do, or another text to use. Observers are not asked, and
   * responders are told nothing by `emit`. May be async. Returns the function that ends it. Throws `HO_HOOK_NAME`,
   * `HO_CALLBACK` or `HO_OPTION`.
   */
  respond<Hook extends HookName>(
    hook: Hook,
    callback: (payload: PayloadOf<Hook>, context: AskContext) => unknown,
    options?: RegistrationOptions,
  ): () => void {
    return this.#addResponder(registration(hook, callback as ResponderCallback, options, undefined));
  }

  /**
   * Asks the responders of a hook in order and resolves to what follows from their answers; never rejects. Observers are
   * told nothing: emit first. `pre_tool_call` and `pre_tts_synthesis` fail closed (a responder that throws or is late
   * blocks); all other hooks fail open. Without a responder it resolves at once.
   */
  async ask<Hook extends HookName>(
    hook: Hook,
    payload: PayloadOf<Hook>,
    options?: AskOptions,
  ): Promise<AskResult<Hook>> {
    // Who answers may know what observers were told.
    this.#waiting.deliver();
    const responders = this.#responders.get(hook) ?? NO_RESPONDERS;
    if (responders.length > 0) this.#asked++;
    const result = await runInquiry(hook, payload, responders, options, this.#failures);
    return result as AskResult<Hook>;
  }

  hasResponder(hook: HookName): boolean {
    return this.#responders.has(hook);
  }

  /**
   * Sets a plugin up. Returns the function that removes it with all it registered. Throws `HO_PLUGIN_NAME` for a missing
   * or used name, `HO_PLUGIN_SETUP` when the set-up throws; then nothing of it stays.
   */
  use(plugin: Plugin<PluginHub>): () => void {
    return this.#plugins.use(plugin);
  }

  /** Removes a plugin. False when there is none of that name. */
  remove(name: string): boolean {
    return this.#plugins.remove(name);
  }

  /** Names of the plugins in use, in order. */
  get plugins(): string[] {
    return this.#plugins.names;
  }

  /** Counters since the hub was made; a copy. */
  get stats(): HubStats {
    this.#waiting.deliver();
    return { emitted: this.#emitted, asked: this.#asked, failures: { ...this.#failures.counts } };
  }

  #observe(added: Registration<ObserverCallback>): () => void {
    // What was called before is none of its business; what is called until it ends is.
    this.#waiting.deliver();
    const remove = this.#observers.add(added);
    return () => {
      this.#waiting.deliver();
      remove();
    };
  }

  #emit(hook: string, payload: Payload | (() => Payload), meta: EmitMeta | undefined, time?: HrTime): void {
    const listeners = this.#observers.get(hook);
    if (listeners.observers.length === 0 && !listeners.channel.hasSubscribers) return;
    this.#deliver(listeners, payload, meta, time);
  }

  #deliver(
    listeners: Listeners,
    payload: Payload | (() => Payload),
    meta: EmitMeta | undefined,
    time: HrTime | undefined,
  ): void {
    if (this.#inCircle || this.#depth >= DEEPEST) {
      this.#inCircle = true;
      this.#failures.add(
        'recursion',
        listeners.hook,
        '',
        new RangeError(`more than ${DEEPEST} emits inside each other`),
      );
      return;
    }
    this.#depth++;
    this.#emitted++;
    try {
      deliver(listeners, payload, meta, time, this.#identity, this.#failures);
    } catch (error) {
      this.#failures.add('payload', listeners.hook, '', error);
    } finally {
      this.#depth--;
      if (this.#depth === 0) this.#inCircle = false;
    }
  }

  #addResponder(responder: Responder): () => void {
    const { hook } = responder;
    if (hook === '*')
      throw new ObserverError('HO_HOOK_NAME', 'A responder answers for one hook; `*` is for observers.');
    this.#responders.set(hook, withEntry(this.#responders.get(hook) ?? NO_RESPONDERS, responder));
    return () => {
      const left = (this.#responders.get(hook) ?? NO_RESPONDERS).filter((other) => other !== responder);
      if (left.length === 0) this.#responders.delete(hook);
      else this.#responders.set(hook, left);
    };
  }

  #scoped(plugin: string, track: (undo: () => void) => () => void): PluginHub {
    return {
      on: (hook, callback, options) =>
        track(this.#observe(registration(hook, callback as ObserverCallback, options, plugin))),
      respond: (hook, callback, options) =>
        track(this.#addResponder(registration(hook, callback as ResponderCallback, options, plugin))),
      emit: (hook, payload, meta) => this.emit(hook, payload, meta),
      emitLater: (hook, payload, meta, time) => this.emitLater(hook, payload, meta, time),
      ask: (hook, payload, options) => this.ask(hook, payload, options),
      has: (hook) => this.has(hook),
      hasResponder: (hook) => this.hasResponder(hook),
    };
  }
}

class OwnIdentity implements ProducerIdentity {
  #producer: string | undefined;
  #seq = 0;

  constructor(producer: string | undefined) {
    this.#producer = producer;
  }

  get producer(): string {
    this.#producer ??= Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(8))).toString('hex');
    return this.#producer;
  }

  nextSeq(): number {
    return ++this.#seq;
  }
}
