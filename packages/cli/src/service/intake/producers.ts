import { cutString, type HookRecord } from '@hermes-observer/core';
import type { ProducerState } from '../ports.js';

/** Producers that are told of; the longest silent one is forgotten. As many as assembly knows. */
const MOST_PRODUCERS = 1_000;
/** A status is one answer, whose reader bounds it too. */
const MOST_TOLD_CHARS = 400_000;
const LONGEST_NAME = 128;
const MOST_HOOKS = 200;
const MOST_REASONS = 20;

/** The name that records without a producer are told under. */
export const UNNAMED = '';

/** What is known of one producer. */
export class Producer {
  hello: Readonly<Record<string, unknown>> | undefined = undefined;
  /** Unix milliseconds. */
  lastSeen = 0;
  /** On the monotonic clock, in milliseconds; of one that was loaded, when that was. */
  heardAt: number;
  records = 0;
  readonly dropped: Record<string, number> = {};
  readonly hooks = new Set<string>();
  /** Connections that carry its records now. */
  connections = 0;
  /** It had one: then the end of the last one says more than its silence. */
  wasConnected = false;
  readonly id: string;

  constructor(id: string, heardAt: number) {
    this.id = id;
    this.heardAt = heardAt;
  }
}

/** A producer as a checkpoint keeps it. */
export interface SavedProducer {
  readonly producer: string;
  readonly hello?: Readonly<Record<string, unknown>>;
  readonly lastSeen: number;
  readonly records: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly hooks: readonly string[];
  readonly wasConnected: boolean;
}

/** All producers, the longest silent first. */
export class Producers {
  readonly #byId = new Map<string, Producer>();
  /** Of records that name none, as those of hooks do, which are a process each. It is nobody whose silence says anything. */
  readonly #unnamed = new Producer(UNNAMED, 0);
  #last: Producer | undefined;
  /** Given up by producers since the start, by reason; those of forgotten producers too. */
  readonly dropped: Record<string, number> = {};

  get(id: string): Producer {
    if (this.#last?.id === id) return this.#last;
    let producer = this.#byId.get(id);
    if (producer === undefined) producer = new Producer(id, performance.now());
    else this.#byId.delete(id);
    this.#byId.set(id, producer);
    this.#last = producer;
    if (this.#byId.size > MOST_PRODUCERS) this.#forgetOne();
    return producer;
  }

  find(id: string): Producer | undefined {
    return this.#byId.get(id);
  }

  /** Notes records that came in. */
  saw(records: readonly HookRecord[], unixMillis: number): void {
    const heardAt = performance.now();
    for (const { producer: id, hook, payload } of records) {
      const producer = id === undefined ? this.#unnamed : this.get(id);
      producer.records++;
      producer.lastSeen = unixMillis;
      producer.heardAt = heardAt;
      if (producer.hooks.size < MOST_HOOKS) producer.hooks.add(hook);
      if (hook === 'observer_dropped') {
        noteDropped(producer.dropped, payload);
        noteDropped(this.dropped, payload);
      }
    }
  }

  /** As many of the newest ones as one answer has room for, with names of a length that can be told. */
  states(missingOf: (producer: string) => number): ProducerState[] {
    const told: ProducerState[] = [];
    let left = MOST_TOLD_CHARS;
    for (const { id, hello, lastSeen, records, dropped, hooks } of this.#known().reverse()) {
      const names = [...hooks].map((hook) => cutString(hook, LONGEST_NAME)).sort();
      const producer = cutString(id, LONGEST_NAME);
      const state = {
        producer,
        hello,
        lastSeen,
        records,
        missing: missingOf(id),
        dropped: { ...dropped },
        hooks: names,
      };
      left -= JSON.stringify(state).length;
      if (left < 0) break;
      told.push(state);
    }
    return told.reverse();
  }

  save(): SavedProducer[] {
    return this.#known().map(({ id, hello, lastSeen, records, dropped, hooks, wasConnected }) => ({
      producer: id,
      ...(hello === undefined ? {} : { hello }),
      lastSeen,
      records,
      dropped: { ...dropped },
      hooks: [...hooks],
      wasConnected,
    }));
  }

  restore(saved: readonly SavedProducer[]): void {
    for (const { producer: id, hello, lastSeen, records, dropped, hooks, wasConnected } of saved) {
      const producer = id === UNNAMED ? this.#unnamed : this.get(id);
      producer.hello = hello;
      producer.lastSeen = lastSeen;
      producer.records = records;
      Object.assign(producer.dropped, dropped);
      for (const hook of hooks) producer.hooks.add(hook);
      producer.wasConnected = wasConnected;
    }
  }

  [Symbol.iterator](): IterableIterator<Producer> {
    return this.#byId.values();
  }

  #known(): Producer[] {
    return [...this.#byId.values(), ...(this.#unnamed.records === 0 ? [] : [this.#unnamed])];
  }

  #forgetOne(): void {
    for (const [id, { connections }] of this.#byId) {
      if (connections > 0) continue;
      this.#byId.delete(id);
      return;
    }
  }
}

function noteDropped(dropped: Record<string, number>, { count, reason }: HookRecord['payload']): void {
  const name = typeof reason === 'string' && reason !== '' ? reason : 'unknown';
  const key = name in dropped || Object.keys(dropped).length < MOST_REASONS ? name : 'other';
  dropped[key] = (dropped[key] ?? 0) + (Number.isSafeInteger(count) && (count as number) > 0 ? (count as number) : 1);
}
