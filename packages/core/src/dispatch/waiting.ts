import type { EmitMeta, Payload } from '../contract/record.js';
import { now } from '../contract/time.js';

/** Over so many, calls are delivered at once: a program that never comes to rest may not fill the memory. */
const MOST_WAITING = 256;

/** Tests that replace timers are not to hold calls back. */
const whenIdle = setImmediate;

/** Hook calls that are delivered together, once the program waits for something: in a row they cost a fraction. */
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
    this.#calls.push({ hook, payload, meta: meta === undefined ? { time } : { ...meta, time } });
    if (this.#calls.length >= MOST_WAITING) this.deliver();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      whenIdle(this.#run);
    }
  }

  deliver(): void {
    while (this.#calls.length > 0) {
      const calls = this.#calls;
      this.#calls = [];
      for (const { hook, payload, meta } of calls) this.#deliver(hook, payload, meta);
    }
  }
}
