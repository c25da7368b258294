import type { Channel } from 'node:diagnostics_channel';
import { isPromise } from 'node:util/types';
import type { EmitMeta, Payload } from '../contract/record.js';
import { HookMeta } from '../contract/record.js';
import { type HrTime, now, parseUnixNano } from '../contract/time.js';
import { hookChannel } from './channel.js';
import type { FailureLog } from './failures.js';
import type { Registration } from './registration.js';
import { withEntry } from './registration.js';
import { isThenable, settle } from './thenable.js';

export type ObserverCallback = (payload: Payload, meta: HookMeta) => unknown;
type Observer = Registration<ObserverCallback>;

/** All that listens to one hook. The list is replaced, never changed, so a run in progress keeps its own. */
export interface Listeners {
  readonly hook: string;
  observers: readonly Observer[];
  readonly channel: Channel;
}

const EVERY_HOOK = '*';
/** Hook names are an open set that producers fill; beyond this many silent ones nothing is remembered of a name. */
const MOST_SILENT = 1024;

const NOBODY: Listeners = { hook: '', observers: [], channel: { hasSubscribers: false } as Channel };

/** Fills the places of hooks not seen yet; no hook has this name. */
const UNUSED: Listeners = { ...NOBODY, hook: '\0' };

/** Observers by hook, in the order of their calls. */
export class ObserverTable {
  #all: readonly Observer[] = [];
  readonly #byHook = new Map<string, Listeners>();
  readonly #recent: [Listeners, Listeners, Listeners, Listeners] = [UNUSED, UNUSED, UNUSED, UNUSED];
  #oldest = 0;
  readonly #failures: FailureLog;

  constructor(failures: FailureLog) {
    this.#failures = failures;
  }

  /** Agents call a handful of hooks over and over; comparing with the last few costs less than a look into the map. */
  get(hook: string): Listeners {
    const recent = this.#recent;
    if (recent[0].hook === hook) return recent[0];
    if (recent[1].hook === hook) return recent[1];
    if (recent[2].hook === hook) return recent[2];
    if (recent[3].hook === hook) return recent[3];
    const listeners = this.#byHook.get(hook);
    if (listeners === undefined) return this.#open(hook);
    recent[this.#oldest] = listeners;
    this.#oldest = (this.#oldest + 1) & 3;
    return listeners;
  }

  add(observer: Observer): () => void {
    this.#all = withEntry(this.#all, observer);
    this.#refresh(observer.hook);
    return () => {
      const left = this.#all.filter((other) => other !== observer);
      if (left.length === this.#all.length) return;
      this.#all = left;
      this.#refresh(observer.hook);
    };
  }

  #open(hook: string): Listeners {
    if (typeof hook !== 'string') {
      this.#failures.add('hook_name', typeof hook, '', new TypeError('the name of a hook must be a string'));
      return NOBODY;
    }
    const listeners = { hook, observers: this.#of(hook), channel: hookChannel(hook) };
    if (this.#byHook.size < MOST_SILENT || this.#all.some((observer) => observer.hook === hook)) {
      this.#byHook.set(hook, listeners);
    }
    return listeners;
  }

  #refresh(changed: string): void {
    if (changed !== EVERY_HOOK) {
      const listeners = this.get(changed);
      listeners.observers = this.#of(changed);
      return;
    }
    for (const [hook, listeners] of this.#byHook) listeners.observers = this.#of(hook);
  }

  #of(hook: string): readonly Observer[] {
    return this.#all.filter((observer) => observer.hook === hook || observer.hook === EVERY_HOOK);
  }
}

const NOTHING: Payload = Object.freeze({});

/** Hands one hook call to all that listen. `time`: when it was made, where that was before now and `meta` has no time. */
export function deliver(
  listeners: Listeners,
  payload: Payload | (() => Payload),
  meta: EmitMeta | undefined,
  time: HrTime | undefined,
  identity: ProducerIdentity,
  failures: FailureLog,
): void {
  const { hook, observers, channel } = listeners;
  const value: unknown = typeof payload === 'function' ? built(hook, payload, failures) : payload;
  if (value === FAILED) return;
  const data = typeof value === 'object' && value !== null ? (value as Payload) : NOTHING;
  const stamped = stampSafely(hook, meta, time, identity, failures);
  for (let i = 0; i < observers.length; i++) {
    const observer = observers[i] as Observer;
    try {
      const returned = observer.callback(data, stamped);
      if (isThenable(returned)) {
        settle(returned, undefined, (error) => failures.add('observer', hook, observer.name, error));
      }
    } catch (error) {
      failures.add('observer', hook, observer.name, error);
    }
  }
  if (channel.hasSubscribers) channel.publish({ hook, payload: data, meta: stamped });
}

const FAILED = Symbol('failed');

/** What a payload function builds, or `FAILED`. */
function built(hook: string, build: () => Payload, failures: FailureLog): unknown {
  try {
    const value: unknown = build();
    if (!isThenable(value)) return value;
    // A promise that nobody follows ends the process. Any other `then` is left alone: what it does when it is called is not ours.
    if (isPromise(value)) settle(value, undefined, () => {});
    throw new TypeError('a payload function must return the payload, not a promise of it');
  } catch (error) {
    failures.add('payload', hook, '', error);
    return FAILED;
  }
}

function stampSafely(
  hook: string,
  meta: EmitMeta | undefined,
  time: HrTime | undefined,
  own: ProducerIdentity,
  failures: FailureLog,
): HookMeta {
  try {
    return stamp(hook, meta, time, own);
  } catch (error) {
    failures.add('payload', hook, '', error);
    return stamp(hook, undefined, time, own);
  }
}

/** Who a hub says it is where the caller does not: an id, and a count of its own records. */
export interface ProducerIdentity {
  readonly producer: string;
  nextSeq(): number;
}

function stamp(hook: string, meta: EmitMeta | undefined, came: HrTime | undefined, own: ProducerIdentity): HookMeta {
  if (meta === undefined) return new HookMeta(hook, came ?? now(), own.producer, own.nextSeq());
  const given = meta.timeUnixNano;
  const time = meta.time ?? (given === undefined ? undefined : parseUnixNano(String(given))) ?? came ?? now();
  // A record of another producer keeps its own identity, even a partial one: ours would make it a false duplicate.
  const foreign = meta.producer !== undefined || meta.seq !== undefined;
  const producer = foreign ? meta.producer : own.producer;
  const seq = foreign ? meta.seq : own.nextSeq();
  return new HookMeta(hook, time, producer, seq, meta.traceContext, meta.profile);
}
