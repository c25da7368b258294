import type { EmitMeta, Payload } from '../contract/record.js';
import { type HrTime, millisBetween, now } from '../contract/time.js';

/** Over so many, calls are delivered at once: a program that never comes to rest may not fill the memory. */
const MOST_WAITING = 256;
/** Calls of so many milliseconds in a row cost half of what each would cost between the agent's own code. */
const MILLIS = 10;
const LATE_MILLIS = 500;
/** Calls that observers add while they are told: a circle of them may not keep the program. */
const MOST_ADDED = 1024;
/** At the end of the process, the same for hubs that tell each other. */
const MOST_ROUNDS = 16;

/** Tests that replace timers are not to hold calls back. */
const later = setTimeout;

/** Those that have calls. */
const filled = new Set<WaitingCalls>();
let isWatched = false;
let isOver = false;

/** Has them delivered at the end of the process, when nothing else comes for them. */
function keep(calls: WaitingCalls): void {
  filled.add(calls);
  if (isWatched) return;
  isWatched = true;
  // First of all that listen: others may write what they heard.
  process.prependOnceListener('exit', () => {
    isOver = true;
    for (let round = 0; round < MOST_ROUNDS && filled.size > 0; round++) for (const left of [...filled]) left.drain();
  });
}

/** Delivers what waits in any hub. */
export function deliverAll(): void {
  for (const calls of [...filled]) calls.deliver();
}

interface Call {
  readonly hook: string;
  readonly payload: () => Payload;
  readonly meta: EmitMeta | undefined;
  /** When it happened. */
  readonly time: HrTime;
}

type Deliver = (hook: string, payload: () => Payload, meta: EmitMeta | undefined, time: HrTime) => void;

/** Hook calls that are delivered together a moment later. */
export class WaitingCalls {
  readonly #deliver: Deliver;
  #calls: Call[] = [];
  #next = 0;
  /** When the first one of them came. */
  #since: HrTime = [0, 0];
  #isScheduled = false;
  /** Observers are being told. What they do then comes before what waits, as with calls that do not wait. */
  isDelivering = false;
  readonly #run = (): void => {
    this.#isScheduled = false;
    this.deliver();
  };

  constructor(deliver: Deliver) {
    this.#deliver = deliver;
  }

  get size(): number {
    return this.#calls.length - this.#next;
  }

  add(hook: string, payload: () => Payload, meta: EmitMeta | undefined, time: HrTime = now()): void {
    if (this.size === 0) {
      this.#since = time;
      keep(this);
    }
    this.#calls.push({ hook, payload, meta: meta && { ...meta }, time });
    // A timer that does not come is one that a test has replaced.
    if (isOver || this.size >= MOST_WAITING || millisBetween(this.#since, time) > LATE_MILLIS) this.deliver();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.size === 0) return;
    this.#isScheduled = true;
    later(this.#run, MILLIS);
  }

  /** Does nothing while observers are being told: the rest follows anyway. */
  deliver(): void {
    if (!this.isDelivering && this.size > 0) this.drain();
  }

  /** Delivers the rest, also inside a delivery. */
  drain(): void {
    this.isDelivering = true;
    try {
      for (let left = this.size + MOST_ADDED; left > 0 && this.size > 0; left--) {
        const { hook, payload, meta, time } = this.#calls[this.#next++] as Call;
        this.#deliver(hook, payload, meta, time);
      }
    } finally {
      this.isDelivering = false;
      this.#calls = this.#calls.slice(this.#next);
      this.#next = 0;
      if (this.size === 0) filled.delete(this);
      else this.#schedule();
    }
  }
}
