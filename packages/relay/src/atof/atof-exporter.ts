import { ObserverError } from '@hermes-observer/core';
import type { ReadableSpan, SpanExporter } from '@hermes-observer/otel';
import { StateFile } from '../files/state-file.js';
import { factsOf, type SpanFacts } from '../spans/span-facts.js';
import type { NewestRequest } from './announcements.js';
import { AtofFile, type AtofTarget } from './atof-file.js';
import { type AtofLine, AtofWriter } from './atof-writer.js';

export type AtofExporterOptions = AtofTarget & {
  /**
   * File that keeps, over a crash or a restart, which calls the newest requests asked for, and with content off requests whose
   * calls are not known yet. Without it these are written at `shutdown()` with the calls that are known by then. @default none
   */
  readonly stateFile?: string;
};

type ExportCallback = Parameters<SpanExporter['export']>[1];

const SUCCESS = 0;
const FAILED = 1;

/**
 * Writes spans as ATOF 0.1 events, one JSON object a line: `{ path }` is appended to (`mode: 'overwrite'` writes it anew),
 * `{ fd }` stays open. Both lines of a scope are written when its span has ended, at once. See `docs/relay.md` for what goes where.
 *
 * What goes wrong comes as a `FAILED` result with an `ObserverError` (`HO_OUTPUT_UNWRITABLE`, `HO_EXPORT_FAILED`), never as a
 * throw; spans of ours that cannot be written are counted in `lostSpans`.
 */
export class AtofExporter implements SpanExporter {
  readonly #file: AtofFile;
  readonly #writer = new AtofWriter();
  readonly #kept: StateFile<NewestRequest> | undefined;
  #isOpen = false;
  #isShutdown = false;
  #writtenSpans = 0;
  #lostSpans = 0;

  constructor(options: AtofExporterOptions) {
    this.#file = new AtofFile(options);
    this.#kept = options.stateFile === undefined ? undefined : new StateFile(options.stateFile);
  }

  /** Spans that were taken: they are in the file, held back, or none of ours. */
  get writtenSpans(): number {
    return this.#writtenSpans;
  }

  /** Spans that were handed over and are not in the file. */
  get lostSpans(): number {
    return this.#lostSpans;
  }

  /**
   * Opens the file now rather than with the first span, and takes away a line that a crash cut short.
   * @throws ObserverError `HO_OUTPUT_UNWRITABLE`.
   */
  open(): void {
    this.#file.open();
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#writer.restore(this.#kept?.load() ?? []);
  }

  /** The callback is called before this returns. */
  export(spans: ReadableSpan[], resultCallback: ExportCallback): void {
    try {
      this.take(spans.map(factsOf));
      resultCallback({ code: SUCCESS });
    } catch (error) {
      resultCallback({ code: FAILED, error: error instanceof Error ? error : new Error(String(error)) });
    }
  }

  /**
   * Writes spans that were read from somewhere else, such as `spansOfRequest` of OTLP/JSON.
   * @throws ObserverError `HO_OUTPUT_UNWRITABLE`, `HO_EXPORT_FAILED`.
   */
  take(spans: readonly SpanFacts[]): void {
    let unwritable = 0;
    let before: NewestRequest[] | undefined;
    try {
      if (this.#isShutdown) throw new ObserverError('HO_EXPORT_FAILED', `${this.#file.name} was closed by shutdown().`);
      this.open();
      before = this.#writer.save();
      const lines: AtofLine[] = [];
      for (const span of spans) if (!this.#add(span, lines)) unwritable++;
      this.#file.write(lines);
      this.#kept?.save(this.#writer.save());
    } catch (error) {
      // They may be handed over again, and find all as it was; lines that are there already are not written twice.
      if (before !== undefined) this.#writer.restore(before);
      this.#lostSpans += spans.length;
      throw error;
    }
    this.#writtenSpans += spans.length - unwritable;
    this.#lostSpans += unwritable;
    if (unwritable === 0) return;
    throw new ObserverError('HO_EXPORT_FAILED', `${this.#file.name}: some spans cannot be written as ATOF.`);
  }

  #add(span: SpanFacts, lines: AtofLine[]): boolean {
    try {
      lines.push(...this.#writer.ended(span));
      return true;
    } catch {
      return false;
    }
  }

  /** Resolves when what was written outlives a power failure. */
  async forceFlush(): Promise<void> {
    await this.#file.sync();
  }

  /** Writes what was held back, unless a `stateFile` keeps it, and closes the file. Rejects with `HO_OUTPUT_UNWRITABLE`. */
  async shutdown(): Promise<void> {
    if (this.#isShutdown) return;
    this.#isShutdown = true;
    try {
      if (this.#kept === undefined) this.#file.write(this.#writer.rest());
    } finally {
      this.#file.close();
    }
  }
}
