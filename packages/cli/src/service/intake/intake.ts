import { formatRecord, type HookRecord, ObserverError } from '@hermes-observer/core';
import { type Capture, SequenceIndex } from '@hermes-observer/otel';
import type { Journal } from '../journal/journal.js';
import type { Acknowledgement, RecordBatch } from '../ports.js';
import { hasContent, withMaskedContent, withoutContent } from './content-fields.js';
import { helloOf } from './hello.js';
import { Pause } from './pause.js';
import { type Producer, Producers } from './producers.js';

/** As many as assembly knows: both must tell repeated records alike. */
const MOST_PRODUCERS = 1_000;
/** With more than this on the way to the disk nothing more is asked for, until half of it is there. */
const MOST_PENDING_BYTES = 32 * 1024 * 1024;
/** How long after the disk was full it is tried again. */
const FULL_MILLIS = 1_000;

export interface IntakeOptions {
  readonly capture: Capture;
  /** Bytes of the journal at which nothing more is taken. */
  readonly maxJournalBytes: number;
  readonly onWarning: (text: string) => void;
  /** Frees what can be freed: history. */
  readonly makeRoom: () => Promise<void>;
  readonly now: () => number;
  /** Told of new records as they are handed to the journal, with all of their content. */
  readonly onRecords?: ((records: readonly HookRecord[]) => void) | undefined;
}

/** Takes records in: new ones go to the journal, and are acknowledged when they are on disk. */
export class Intake {
  readonly sequences = new SequenceIndex(MOST_PRODUCERS);
  readonly producers = new Producers();
  readonly pause = new Pause();
  /** All records before this position of the journal are in the figures of `producers`. */
  countedUpTo = 0;
  readonly counts = { records: 0, duplicates: 0, narrowed: 0, refused: {} as Record<string, number> };
  readonly #journal: Journal;
  readonly #options: IntakeOptions;
  #inFlight = 0;
  /** Batches that could not be kept. */
  #failures = 0;
  #isStopping = false;
  #fullSince: number | undefined;
  #toldWider = new Set<string>();

  constructor(journal: Journal, options: IntakeOptions) {
    this.#journal = journal;
    this.#options = options;
  }

  /** Nothing is on its way to the journal. */
  get isIdle(): boolean {
    return this.#inFlight === 0;
  }

  /** As `IntakePort.take`. Not async: what is parsed must not be held while the disk works. */
  take({ lines, records }: RecordBatch): Promise<readonly Acknowledgement[]> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const failuresBefore = this.#failures;
    const last = new Map<string, number>();
    const newLines: Uint8Array[] = [];
    const newRecords: HookRecord[] = [];
    /** As they came, whatever of their content is kept. */
    const given: HookRecord[] = [];
    let producer: Producer | undefined;
    for (let i = 0; i < records.length; i++) {
      let record = records[i] as HookRecord;
      let line = lines[i] as Uint8Array;
      const { producer: id, seq } = record;
      if (id !== undefined) {
        if (producer?.id !== id) producer = this.producers.get(id);
        if (seq !== undefined) {
          if (seq > (last.get(id) ?? 0)) last.set(id, seq);
          if (!this.sequences.isNew(id, seq)) continue;
        }
        if (record.hook === 'observer_hello') this.#greet(producer, record);
      }
      given.push(record);
      const capture = this.#captureOf(id === undefined ? undefined : producer);
      if (capture !== 'full' && hasContent(record)) {
        record = capture === 'none' ? withoutContent(record) : withMaskedContent(record);
        line = Buffer.from(formatRecord(record));
        this.counts.narrowed++;
      }
      newLines.push(line);
      newRecords.push(record);
    }
    const repeated = records.length - newRecords.length;
    const taken = newRecords.length;
    const kept = this.#keep(newLines, newRecords, repeated > 0);
    if (taken > 0) this.#options.onRecords?.(given);
    return kept.then(() => {
      // What was repeated may have been in a batch that could not be kept.
      if (repeated > 0 && this.#failures !== failuresBefore) {
        throw new ObserverError('HO_STORE_FAILED', 'Records could not be kept. Send the same again.');
      }
      this.counts.records += taken;
      this.counts.duplicates += repeated;
      return [...last].map(([id, seq]) => ({ producer: id, seq }));
    });
  }

  /** Writes records of the service's own. */
  async takeOwn(records: readonly HookRecord[]): Promise<void> {
    await this.#keep(
      records.map((record) => Buffer.from(formatRecord(record))),
      records,
      false,
    );
  }

  /** Counts records that are durable now. @param end position behind them */
  kept(records: readonly HookRecord[], end: number): void {
    this.producers.saw(records, this.#options.now());
    this.countedUpTo = end;
  }

  refused(lines: number, reason: string): void {
    this.counts.refused[reason] = (this.counts.refused[reason] ?? 0) + lines;
  }

  present(id: string): () => void {
    const producer = this.producers.get(id);
    producer.connections++;
    producer.wasConnected = true;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      producer.connections--;
      producer.heardAt = performance.now();
    };
  }

  /** Takes nothing any more; what is under way is kept. */
  stop(): void {
    this.#isStopping = true;
    this.pause.set(true);
  }

  /** Looks again whether there is room; to be called once a second or so. */
  async look(): Promise<void> {
    if (this.#isStopping) return;
    if (this.#fullSince !== undefined || this.#isOverLimit) await this.#options.makeRoom();
    if (this.#fullSince !== undefined && performance.now() - this.#fullSince > FULL_MILLIS) this.#fullSince = undefined;
    this.regulate();
  }

  get #isOverLimit(): boolean {
    return this.#journal.bytes >= this.#options.maxJournalBytes;
  }

  get isFull(): boolean {
    return this.#fullSince !== undefined || this.#isOverLimit;
  }

  #refusal(): ObserverError | undefined {
    if (this.#isStopping) {
      const text = 'The service is being stopped. Send the same again when it is back.';
      return new ObserverError('HO_SERVICE_STOPPING', text);
    }
    if (!this.isFull) return undefined;
    this.regulate();
    const what = this.#isOverLimit ? 'The journal has reached its limit' : 'The disk is full';
    return new ObserverError('HO_STORE_FULL', `${what}; no records are taken until there is room. Free some space.`);
  }

  #keep(lines: readonly Uint8Array[], records: readonly HookRecord[], mustWait: boolean): Promise<void> {
    if (lines.length === 0 && (!mustWait || this.#inFlight === 0)) return Promise.resolve();
    const numbers = records.map(({ producer, seq }) => [producer, seq] as const);
    this.#inFlight++;
    const kept = this.#journal.append(lines, records);
    this.regulate();
    return kept
      .catch((error: unknown) => {
        this.#failures++;
        for (const [producer, seq] of numbers) {
          if (producer !== undefined && seq !== undefined) this.sequences.forget(producer, seq);
        }
        if (ObserverError.isInstance(error) && error.code === 'HO_STORE_FULL') this.#full(error);
        this.regulate();
        throw error;
      })
      .finally(() => {
        this.#inFlight--;
        this.regulate();
      });
  }

  #full(error: ObserverError): void {
    if (this.#fullSince === undefined) this.#options.onWarning(error.message);
    this.#fullSince = performance.now();
  }

  /** Says whether more is taken. */
  regulate(): void {
    if (this.#isStopping) return;
    const { pendingBytes } = this.#journal;
    const isBusy = pendingBytes > (this.pause.isOn ? MOST_PENDING_BYTES / 2 : MOST_PENDING_BYTES);
    this.pause.set(isBusy || this.isFull || this.#journal.trouble !== undefined);
  }

  /** How much content may be kept: as much as spans carry, and no more than the producer said that it sends. */
  #captureOf(producer: Producer | undefined): Capture {
    const said = WIDTH.indexOf(producer?.hello?.capture as Capture);
    const own = WIDTH.indexOf(this.#options.capture);
    return WIDTH[said < 0 ? own : Math.min(said, own)] ?? 'none';
  }

  #greet(producer: Producer, record: HookRecord): void {
    producer.hello = helloOf(record.payload);
    const { capture } = producer.hello;
    const wider = WIDTH.indexOf(this.#options.capture) > WIDTH.indexOf(capture as Capture);
    if (typeof capture !== 'string' || !wider || this.#toldWider.has(capture)) return;
    this.#toldWider.add(capture);
    this.#options.onWarning(
      `Content is captured as ${this.#options.capture} here, but producers send it as ${capture}: set it there as well.`,
    );
  }
}

const WIDTH: readonly Capture[] = ['none', 'redacted', 'full'];
