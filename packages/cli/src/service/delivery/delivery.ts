import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SegmentLogOptions } from '@hermes-observer/core/segments';
import { HttpTarget, type SpanRedactor, type SpanTarget } from '@hermes-observer/otel';
import { Sender, Spool } from '@hermes-observer/otel/spool';
import type { LogRecord } from '@hermes-observer/signals';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Count, ExporterState } from '../ports.js';
import type { ResolvedOptions } from '../resolve-options.js';
import { Encoder, encodingOf } from './encoder.js';
import { FileTarget } from './file-target.js';
import type { LogEncoder } from './log-encoder.js';
import { RelayFiles } from './relay-files.js';

type Target = ResolvedOptions['exporters'][number] & { readonly signal?: 'logs' };

interface Way {
  readonly target: Target;
  readonly spool: Spool;
  readonly sender: Sender;
}

export interface DeliveryOptions {
  readonly targets: readonly Target[];
  readonly folder: string;
  /** What targets keep for themselves between two requests is below it. */
  readonly stateFolder: string;
  readonly log: SegmentLogOptions;
  readonly redactor?: SpanRedactor | undefined;
  /** For the target of log records, if there is one. */
  readonly logs?: LogEncoder | undefined;
  /** How far each target had come, by name. */
  readonly cursors: Readonly<Record<string, number>>;
  /** Position behind the newest record of the journal. */
  readonly journalEnd: number;
  readonly onWarning: (text: string) => void;
}

/** With more than this on the way to the spools, tracing waits. */
const MOST_PENDING_BYTES = 32 * 1024 * 1024;

/** All targets: spans go to the spool of each, and a sender brings them on. None of them waits for another. */
export class Delivery {
  readonly #ways: readonly Way[];
  readonly #encoder: Encoder;
  readonly #logs: LogEncoder | undefined;
  readonly #redactor: SpanRedactor | undefined;
  readonly #onWarning: (text: string) => void;
  /** Spools whose folder cannot be made again; said once. */
  readonly #told = new Set<string>();

  private constructor(ways: readonly Way[], encoder: Encoder, { redactor, logs, onWarning }: DeliveryOptions) {
    this.#logs = logs;
    this.#redactor = redactor;
    this.#onWarning = onWarning;
    this.#ways = ways;
    this.#encoder = encoder;
  }

  /** @throws ObserverError as `SegmentLog.open`. */
  static async open(options: DeliveryOptions): Promise<Delivery> {
    const { targets, folder, stateFolder, log, cursors, journalEnd, onWarning } = options;
    const encoder = new Encoder(targets.filter(({ signal }) => signal === undefined));
    const ways: Way[] = [];
    try {
      for (const target of targets) {
        const cursor = cursors[target.name] ?? 0;
        const spool = await Spool.open(join(folder, target.name), {
          limits: target.spool,
          encoding: encodingOf(target),
          cursor,
          sourceEnd: journalEnd,
          log,
        });
        ways.push({
          target,
          spool,
          sender: new Sender(
            target.name,
            spool,
            receiverOf(target, stateFolder),
            onWarning,
            target.signal === 'logs' ? 'log records' : 'spans',
          ),
        });
      }
    } catch (error) {
      for (const { spool } of ways) await spool.close();
      throw error;
    }
    await tellForgotten(folder, targets, onWarning);
    return new Delivery(ways, encoder, options);
  }

  start(): void {
    for (const { sender } of this.#ways) sender.start();
  }

  /** Where a stretch must end, after a restart: what lies before is in a spool already. */
  get boundaries(): ReadonlySet<number> {
    return new Set(this.#ways.map(({ spool }) => spool.upTo));
  }

  /**
   * Resolves when the spans that ended with the records of a stretch are in the spool of every target.
   * @param evaluations log records that the stretch has beside those of its spans
   */
  async add(
    spans: readonly ReadableSpan[],
    from: number,
    upTo: number,
    evaluations: readonly LogRecord[] = [],
  ): Promise<void> {
    const ways = this.#ways.filter(({ spool }) => upTo > spool.upTo);
    if (ways.length === 0) return;
    const safe = this.#redactor === undefined ? spans : spans.map((span) => this.#redactor?.redact(span) ?? span);
    const encoded = safe.length === 0 ? () => [] : this.#encoder.encode(safe);
    await Promise.all(
      ways.map(async ({ target, spool }) => {
        const requests =
          target.signal === undefined ? encoded(target.name) : (this.#logs?.encode(safe, evaluations) ?? []);
        if (requests.length > 0) await spool.add(requests, from, upTo);
      }),
    );
  }

  get hasRoom(): boolean {
    return this.#ways.every(({ spool }) => spool.pendingBytes < MOST_PENDING_BYTES);
  }

  get cursors(): Record<string, number> {
    return Object.fromEntries(this.#ways.map(({ target, spool }) => [target.name, spool.cursor]));
  }

  get isEmpty(): boolean {
    return this.#ways.every(({ spool }) => spool.isEmpty);
  }

  /** Makes what was added so far outlive a power failure. @throws ObserverError as `SegmentLog.flush`. */
  async flush(): Promise<void> {
    await Promise.all(this.#ways.map(({ spool }) => spool.flush()));
  }

  /** Makes spools again whose folders were deleted, and deletes what is not needed. To be called once a second or so. */
  async look(): Promise<void> {
    for (const { target, spool } of this.#ways) {
      try {
        if (await spool.look()) {
          this.#onWarning(`The spool of exporter ${target.name} was deleted while it was in use, and was made again.`);
        }
        this.#told.delete(target.name);
        await spool.retain();
      } catch (error) {
        if (!this.#told.has(target.name)) this.#onWarning(`spool of exporter ${target.name}: ${messageOf(error)}`);
        this.#told.add(target.name);
      }
    }
  }

  /** Ends the senders. */
  async stop(): Promise<void> {
    await Promise.all(this.#ways.map(({ sender }) => sender.stop()));
  }

  /** Closes all, also where one cannot be. @throws ObserverError of the first one that cannot. */
  async close(): Promise<void> {
    const closed = await Promise.allSettled(this.#ways.map(({ spool }) => spool.close()));
    for (const one of closed) if (one.status === 'rejected') throw one.reason;
  }

  states(): ExporterState[] {
    const ways = this.#ways.filter(({ target }) => target.signal === undefined);
    return ways.map(({ target, spool, sender }) => ({
      name: target.name,
      sentSpans: sender.sentSpans,
      waitingBytes: spool.waitingBytes,
      lostSpans: lostOf(sender, spool).reduce((sum, [, lost]) => sum + lost, 0),
      lastError: sender.lastError ?? spool.lastError,
    }));
  }

  counts(): Count[] {
    const counts: Count[] = [];
    for (const { target, spool, sender } of this.#ways) {
      const labels = { exporter: target.name };
      const [what, things] = target.signal === undefined ? ['spans', 'Spans'] : ['logs', 'Log records'];
      counts.push(
        { name: `exported_${what}`, help: `${things} that an exporter has taken.`, value: sender.sentSpans, labels },
        { name: 'export_requests', help: 'Requests that an exporter has taken.', value: sender.sentRequests, labels },
        { name: 'export_retries', help: 'Requests that were sent again.', value: sender.retries, labels },
        { name: `spool_${what}`, help: `${things} that wait.`, value: spool.waitingSpans, labels, kind: 'gauge' },
        { name: 'spool_bytes', help: 'Bytes that wait.', value: spool.waitingBytes, labels, kind: 'gauge' },
        { name: 'spool_damaged_bytes', help: 'Bytes lost to damage.', value: spool.damagedBytes, labels },
        { name: 'spool_disk_bytes', help: 'Bytes on disk.', value: spool.diskBytes, labels, kind: 'gauge' },
      );
      if (target.signal === undefined)
        counts.push({ name: 'cut_spans', help: CUT_HELP, value: sender.cutSpans, labels });
      for (const [reason, value] of lostOf(sender, spool)) {
        counts.push({ name: `lost_${what}`, help: `${things} given up.`, value, labels: { ...labels, reason } });
      }
    }
    counts.push(...this.#encoder.counts());
    if (this.#logs !== undefined)
      counts.push({ name: 'unlogged_spans', help: UNLOGGED_HELP, value: this.#logs.unwritable });
    for (const [kind, value] of Object.entries(this.#redactor?.counts ?? {})) {
      counts.push({ name: 'redacted_values', help: 'Values redacted in spans.', value, labels: { kind } });
    }
    return counts;
  }
}

function receiverOf(target: Target, stateFolder: string): SpanTarget {
  switch (target.kind) {
    case 'http':
      return new HttpTarget(target);
    case 'file':
      return new FileTarget(target.path);
    default:
      return new RelayFiles(target, join(stateFolder, target.name));
  }
}

const UNLOGGED_HELP = 'Spans that no log records could be made of.';
const CUT_HELP = 'Spans that an exporter has taken only without their attributes.';

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Spans may wait for a target that is not set any more. */
async function tellForgotten(
  folder: string,
  targets: readonly Target[],
  onWarning: (text: string) => void,
): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => !targets.some((target) => target.name === each))) {
    onWarning(`${join(folder, name)} is of an exporter that is not set any more: set it again, or delete the folder.`);
  }
}

function lostOf({ lost }: Sender, spool: Spool): [reason: string, spans: number][] {
  return [
    ['refused', lost.refused],
    ['rejected', lost.rejected],
    ['spool_limit', spool.lost.limit],
    ['damage', spool.lost.damage],
  ];
}
