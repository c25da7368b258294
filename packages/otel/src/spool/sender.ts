import { setTimeout as sleep } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '@hermes-observer/core';
import type { Encoding } from '../encoding/encoding.js';
import { Backoff } from '../transport/backoff.js';
import { asksToSplit, MOST_REFUSED } from '../transport/refusal.js';
import type { Sent, SpanTarget } from '../transport/span-target.js';
import { bareRequest, halves, nameOfSpan, type Part } from './split-request.js';
import type { Spool, Waiting } from './spool.js';

/** So many spans that were refused alone are named; further ones are counted. */
const MOST_NAMED = 20;
const READ_AGAIN_MILLIS = 1_000;

/** Spans that were not taken, by why. */
export interface LostSpans {
  /** The receiver refused them for good. */
  refused: number;
  /** A partial success left them out. */
  rejected: number;
}

/** One request under way. */
interface Delivery {
  readonly encoding: Encoding;
  taken: number;
  refused: number;
}

/**
 * Sends what waits in a spool, in order, until the receiver has taken it or refused it for good. One that is away or busy
 * is tried for as long as it takes.
 */
export class Sender {
  readonly lost: LostSpans = { refused: 0, rejected: 0 };
  sentSpans = 0;
  sentRequests = 0;
  /** Of `sentSpans`: taken only without their attributes. */
  cutSpans = 0;
  retries = 0;
  lastError: string | undefined;
  readonly #name: string;
  readonly #spool: Spool;
  readonly #target: SpanTarget;
  readonly #onWarning: (text: string) => void;
  readonly #what: string;
  readonly #backoff = new Backoff();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #failures = 0;
  #hasLost = false;
  #named = 0;

  /** @param what the requests are made of, for messages */
  constructor(name: string, spool: Spool, target: SpanTarget, onWarning: (text: string) => void, what = 'spans') {
    this.#name = name;
    this.#spool = spool;
    this.#target = target;
    this.#onWarning = onWarning;
    this.#what = what;
  }

  /** The receiver did not answer when it was last tried. */
  get isAway(): boolean {
    return this.#failures > 0;
  }

  /** Tries in a row that the receiver did not answer. */
  get failures(): number {
    return this.#failures;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends what is under way. What was not taken stays in the spool. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#target.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        for await (const entry of this.#spool.follow(signal)) {
          if (!(await this.#deliver(entry))) return;
          this.#spool.done(entry);
        }
      } catch (error) {
        this.#failed(`cannot read what waits: ${String(error)}`);
        await pause(READ_AGAIN_MILLIS, signal);
      }
    }
  }

  /** False when it was stopped before the receiver said anything. */
  async #deliver({ body, spans, encoding }: Waiting): Promise<boolean> {
    const delivery: Delivery = { encoding, taken: 0, refused: 0 };
    return await this.#part({ body, spans }, delivery);
  }

  async #part(part: Part, delivery: Delivery): Promise<boolean> {
    const { encoding } = delivery;
    const sent = await this.#send(part, encoding);
    if (sent === undefined) return false;
    if (sent.kind !== 'refused' || !asksToSplit(sent)) {
      this.#settle(sent, part.spans, delivery);
      return true;
    }
    const isHopeless = delivery.taken === 0 && delivery.refused >= MOST_REFUSED;
    const two = isHopeless ? undefined : halves(part.body, encoding);
    if (two !== undefined) return (await this.#part(two[0], delivery)) && (await this.#part(two[1], delivery));
    const bare = isHopeless ? undefined : bareRequest(part.body, encoding);
    const second = bare === undefined ? sent : await this.#send(bare, encoding);
    if (second === undefined) return false;
    if (bare !== undefined) this.#tellAlone(nameOfSpan(part.body, encoding), sent.reason, second);
    this.#settle(second, part.spans, delivery);
    return true;
  }

  /** Of one span that was refused, and of what became of it bare. */
  #tellAlone(span: string, reason: string, second: Exclude<Sent, { kind: 'unreachable' }>): void {
    const isTaken = second.kind === 'taken' && second.rejected === 0;
    if (isTaken) this.cutSpans++;
    if (this.#named >= MOST_NAMED) return;
    this.#named++;
    const end = isTaken ? 'it was taken without its attributes' : 'it is lost, without its attributes too';
    const last = this.#named === MOST_NAMED ? ' Further ones are counted and not named.' : '';
    this.#onWarning(`exporter ${this.#name}: span ${span} was refused: ${reason}; ${end}.${last}`);
  }

  /** Until there is an answer that is one. `undefined`: stopped. */
  async #send({ body }: Part, encoding: Encoding): Promise<Exclude<Sent, { kind: 'unreachable' }> | undefined> {
    const { signal } = this.#stopping;
    for (;;) {
      const sent = await this.#target.send(body, signal, encoding);
      if (sent.kind !== 'unreachable') {
        this.#backoff.reset();
        this.#failures = 0;
        return sent;
      }
      if (signal.aborted) return undefined;
      this.retries++;
      this.lastError = sent.reason;
      if (this.#failures++ === 0)
        this.#onWarning(`${this.#target.place}: ${sent.reason}; ${this.#what} wait until it takes them.`);
      await pause(this.#backoff.wait(sent.waitMillis), signal);
      if (signal.aborted) return undefined;
    }
  }

  #settle(sent: Exclude<Sent, { kind: 'unreachable' }>, spans: number, delivery: Delivery): void {
    if (sent.kind === 'taken') {
      const rejected = Math.min(sent.rejected, spans);
      this.sentRequests++;
      this.sentSpans += spans - rejected;
      delivery.taken += spans - rejected;
      if (rejected === 0) return;
      this.lost.rejected += rejected;
      this.#failed(`rejected ${rejected} of ${spans} ${this.#what}: ${sent.message || 'no reason given'}`);
    } else {
      delivery.refused += spans;
      this.lost.refused += spans;
      this.#failed(`refused ${this.#what}: ${sent.reason}`);
    }
  }

  #failed(text: string): void {
    this.lastError = text;
    if (this.#hasLost) return;
    // Said once; further ones are counted.
    this.#hasLost = true;
    this.#onWarning(`exporter ${this.#name}, ${this.#target.place}: ${text}.`);
  }
}

/** Keeps no process alive. */
async function pause(millis: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(millis, LONGEST_TIMER_MS), undefined, { signal, ref: false }).catch(() => undefined);
}
