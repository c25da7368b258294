import type { EmitMeta, Payload } from '../contract/record.js';
import { now } from '../contract/time.js';

/** Over so many, calls are delivered at once: a program that never comes to rest may not fill the memory. */
const MOST_WAITING = 256;
/** Calls of so many milliseconds in a row cost half of what each would cost between the agent's own code. */
const MILLIS = 10;

/** Tests that replace timers are not to hold calls back. */
const later = setTimeout;

const filled = new Set<WaitingCalls>();
let isWatched = false;

/** Has them delivered at the end of the process, when nothing else comes for them. */
function keep(calls: WaitingCalls): void {
  filled.add(calls);
  if (isWatched) return;
  isWatched = true;
  process.once('exit', () => {
    for (const left of filled) left.deliver();
  });
}

/** Hook calls that are delivered together a moment later. */
export class WaitingCalls {
  readonly #deliver: (hook: string, payload: () => Payload, meta: EmitMeta) => void;
  #calls: { hook: string; payload: () => Payload; meta: EmitMeta }[] = [];
  #isScheduled = false;
  readonly #run = (): void => {
    this.#isScheduled = false;
    this.deliver();
  };

  constructor(deliver: (hook: string, payload: () => Payload, meta: EmitMeta) => void) {
    this.#deliver = deliver;
  }

  get size(): number {
    return this.#calls.length;
  }

  add(hook: string, payload: () => Payload, meta: EmitMeta | undefined): void {
    const time = meta?.time ?? now();
    if (this.#calls.push({ hook, payload, meta: meta === undefined ? { time } : { ...meta, time } }) === 1) keep(this);
    if (this.#calls.length >= MOST_WAITING) this.deliver();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      later(this.#run, MILLIS);
    }
  }

  deliver(): void {
    filled.delete(this);
    while (this.#calls.length > 0) {
      const calls = this.#calls;
      this.#calls = [];
      for (const { hook, payload, meta } of calls) this.#deliver(hook, payload, meta);
    }
  }
}
