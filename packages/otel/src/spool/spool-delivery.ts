import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObserverError } from '@hermes-observer/core';
import type { Encoding } from '../encoding/encoding.js';
import { addTo } from '../sdk/counted-result.js';
import type { SpanTarget } from '../transport/span-target.js';
import { Sender } from './sender.js';
import { type Request, Spool, type SpoolLimits, type SpoolOptions } from './spool.js';

export interface SpoolDeliveryOptions {
  /** Made with mode 0700 if it is not there. Each process that uses it has a folder of its own in it. */
  readonly folder: string;
  readonly limits: SpoolLimits;
  readonly encoding: Encoding;
  /** Makes what a spool is sent to; asked once for each spool. */
  readonly target: () => SpanTarget;
  /** What messages call it. */
  readonly name: string;
  readonly onWarning: (text: string) => void;
}

/** What became of spans that were added. */
export interface SpoolDeliveryCounts {
  readonly sentSpans: number;
  /** Given up, or not taken. */
  readonly lostSpans: number;
  /** The same by why: `refused`, `rejected` by a partial success, over the `limit` of bytes or age, `damage` of files. */
  readonly lostByReason: Readonly<Record<string, number>>;
  /** Of `sentSpans`: taken only without their attributes. */
  readonly cutSpans: number;
  readonly retries: number;
  readonly waitingSpans: number;
  readonly waitingBytes: number;
}

interface Way {
  readonly spool: Spool;
  readonly sender: Sender;
}

const MOST_PROCESSES = 256;
const LOOK_MILLIS = 1_000;
const POLL_MILLIS = 10;
/** After so many failed tries in a row, or one and so long a wait, a flush takes the backend for away. */
const MOST_FAILURES = 3;
const PATIENCE_MILLIS = 5_000;

/**
 * Requests of one process on their way over the disk to a backend, in order, and what earlier processes left there. What was
 * added outlives the process, and with `flush()` a power failure.
 */
export class SpoolDelivery {
  readonly #own: Way;
  /** Spools that processes left behind which are no more. */
  readonly #left: Way[] = [];
  readonly #options: SpoolDeliveryOptions;
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;
  #done: SpoolDeliveryCounts = {
    sentSpans: 0,
    lostSpans: 0,
    lostByReason: {},
    cutSpans: 0,
    retries: 0,
    waitingSpans: 0,
    waitingBytes: 0,
  };

  private constructor(own: Way, options: SpoolDeliveryOptions) {
    this.#own = own;
    this.#options = options;
    this.#timer = setInterval(() => void this.#look(), LOOK_MILLIS);
    this.#timer.unref();
  }

  /** @throws ObserverError as `SegmentLog.open`, and of `mkdir`. */
  static async open(options: SpoolDeliveryOptions): Promise<SpoolDelivery> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    const delivery = new SpoolDelivery(await claim(options), options);
    delivery.#own.sender.start();
    await delivery.#adopt();
    return delivery;
  }

  /** Resolves when the requests are written. */
  add(requests: readonly Request[]): Promise<void> {
    return this.#own.spool.add(requests);
  }

  get counts(): SpoolDeliveryCounts {
    return [this.#own, ...this.#left].map(countsOf).reduce(sum, this.#done);
  }

  /**
   * Resolves when all that was added by this process is delivered or given up; while the backend is away, when it would
   * outlive a power failure.
   */
  async flush(): Promise<void> {
    const { spool, sender } = this.#own;
    const end = spool.next;
    const late = performance.now() + PATIENCE_MILLIS;
    // One try that fails is not yet a backend that is away.
    const isAway = () => sender.failures >= MOST_FAILURES || (sender.isAway && performance.now() > late);
    while (spool.cursor < end && !isAway() && !this.#isClosed) await sleep(POLL_MILLIS);
    if (spool.cursor >= end || this.#isClosed) return;
    await spool.flush().catch((error) => {
      // Closing it has flushed it.
      if (!this.#isClosed) throw error;
    });
  }

  /** Ends the sending. What was not taken stays for the next process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const ways = [this.#own, ...this.#left];
    await Promise.all(ways.map(({ sender }) => sender.stop()));
    await this.#own.spool.flush().catch(() => undefined);
    await Promise.all(ways.map(({ spool }) => spool.close().catch(() => undefined)));
  }

  /** Takes over what nobody has open. */
  async #adopt(): Promise<void> {
    const { folder } = this.#options;
    for (const name of await readdir(folder).catch(() => [])) {
      if (!/^\d{1,3}$/.test(name)) continue;
      const way = await open(join(folder, name), this.#options).catch(() => undefined);
      if (way === undefined) continue;
      if (way.spool.isEmpty) await way.spool.close().catch(() => undefined);
      else {
        this.#left.push(way);
        way.sender.start();
      }
    }
  }

  async #look(): Promise<void> {
    for (const way of [this.#own, ...this.#left]) {
      await way.spool.look().catch((error) => this.#options.onWarning(`${this.#options.folder}: ${messageOf(error)}`));
      await way.spool.retain().catch(() => undefined);
      if (way !== this.#own && way.spool.isEmpty) await this.#finish(way);
    }
  }

  async #finish(way: Way): Promise<void> {
    const at = this.#left.indexOf(way);
    if (at < 0) return;
    this.#left.splice(at, 1);
    this.#done = sum(this.#done, countsOf(way));
    await way.sender.stop();
    await way.spool.close().catch(() => undefined);
  }
}

/** The first folder that no other process has. */
async function claim(options: SpoolDeliveryOptions): Promise<Way> {
  for (let number = 0; ; number++) {
    try {
      return await open(join(options.folder, String(number)), options);
    } catch (error) {
      const isTaken = ObserverError.isInstance(error) && error.code === 'HO_STORE_LOCKED';
      if (!isTaken || number >= MOST_PROCESSES) throw error;
    }
  }
}

async function open(folder: string, { limits, encoding, target, name, onWarning }: SpoolDeliveryOptions): Promise<Way> {
  const options: SpoolOptions = { limits, encoding };
  const spool = await Spool.open(folder, options);
  return { spool, sender: new Sender(name, spool, target(), onWarning) };
}

function countsOf({ spool, sender }: Way): SpoolDeliveryCounts {
  const lost: Record<string, number> = {};
  for (const [reason, spans] of Object.entries({ ...sender.lost, ...spool.lost })) addTo(lost, reason, spans);
  return {
    sentSpans: sender.sentSpans,
    lostSpans: sender.lost.refused + sender.lost.rejected + spool.lost.limit + spool.lost.damage,
    lostByReason: lost,
    cutSpans: sender.cutSpans,
    retries: sender.retries,
    waitingSpans: spool.waitingSpans,
    waitingBytes: spool.waitingBytes,
  };
}

const sum = (a: SpoolDeliveryCounts, b: SpoolDeliveryCounts): SpoolDeliveryCounts => ({
  sentSpans: a.sentSpans + b.sentSpans,
  lostSpans: a.lostSpans + b.lostSpans,
  lostByReason: sumOf(a.lostByReason, b.lostByReason),
  cutSpans: a.cutSpans + b.cutSpans,
  retries: a.retries + b.retries,
  waitingSpans: a.waitingSpans + b.waitingSpans,
  waitingBytes: a.waitingBytes + b.waitingBytes,
});

function sumOf(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const both = { ...a };
  for (const [reason, spans] of Object.entries(b)) addTo(both, reason, spans);
  return both;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
