import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import type { ReadableSpan, SpanExporter } from '@hermes-observer/otel';
import { syncAll, unwritable, writeWhole } from '../files/whole-file.js';
import { factsOf, type SpanFacts } from '../spans/span-facts.js';
import { buildTrajectory, sessionOf } from './build-trajectory.js';
import { sessionFile, trajectoryFile } from './file-name.js';
import { type Due, OpenTraces } from './open-traces.js';
import { SessionFiles } from './session-files.js';
import { TraceFiles } from './trace-files.js';
import type { Trajectory } from './trajectory.js';

export interface AtifExporterOptions {
  /** Folder of the files; made if it is not there. */
  readonly folder: string;
  /** One document a turn, or one a session, which grows with each turn. @default 'turn' */
  readonly trajectory?: 'turn' | 'session';
  /** Child agents inside the document of their parent, or in files of their own beside it. @default 'embedded' */
  readonly subagents?: 'embedded' | 'files';
  /** How long after its last span came a turn is kept for children that come late, in milliseconds. @default 3600000 */
  readonly lateMillis?: number;
  /** Estimated bytes of spans that are kept; over it the trace that was silent for longest is written as it is. @default 67108864 */
  readonly maxBytes?: number;
  /** Folder that keeps spans of turns that have not ended, and of those that are waited for, over a crash. @default none */
  readonly stateFolder?: string;
  /** A clock in milliseconds that never goes back. For tests. @default performance.now */
  readonly now?: () => number;
}

type ExportCallback = Parameters<SpanExporter['export']>[1];

const SUCCESS = 0;
const FAILED = 1;
const HOUR = 3_600_000;
const MIB = 2 ** 20;

/**
 * Writes trajectories in ATIF v1.7, a file each time that a turn ends: under another name first, so that readers never see a part
 * of one. A child agent that ends after its turn is put into the turn's document, which is written anew. See `docs/relay.md`.
 *
 * What goes wrong comes as a `FAILED` result with an `ObserverError` (`HO_OUTPUT_UNWRITABLE`, `HO_EXPORT_FAILED`), never as a
 * throw; a document that the disk did not take is tried again with the next spans, one that cannot be made is given up.
 */
export class AtifExporter implements SpanExporter {
  readonly #folder: string;
  readonly #subagents: 'embedded' | 'files';
  readonly #sessions: SessionFiles | undefined;
  readonly #traces: OpenTraces;
  readonly #state: TraceFiles | undefined;
  /** Paths that were written since the last flush, where what is taken has to outlive a power failure. */
  readonly #unsynced = new Set<string>();
  #isOpen = false;
  #isFolderThere = false;
  #isShutdown = false;
  #writtenSpans = 0;
  #lostSpans = 0;
  #documents = 0;

  /** @throws ObserverError `HO_OPTION`. */
  constructor(options: AtifExporterOptions) {
    const { folder, trajectory = 'turn', subagents = 'embedded', stateFolder } = options;
    const { lateMillis = HOUR, maxBytes = 64 * MIB } = options;
    if (!(lateMillis >= 0) || !(maxBytes >= MIB)) {
      const text = `lateMillis ${lateMillis} must be 0 or more, maxBytes ${maxBytes} ${MIB} or more.`;
      throw new ObserverError('HO_OPTION', text);
    }
    this.#folder = folder;
    this.#subagents = subagents;
    this.#sessions = trajectory === 'session' ? new SessionFiles(folder) : undefined;
    this.#traces = new OpenTraces({ lateMillis, maxBytes, now: options.now ?? (() => performance.now()) });
    this.#state = stateFolder === undefined ? undefined : new TraceFiles(stateFolder);
  }

  /** Spans that were taken. */
  get writtenSpans(): number {
    return this.#writtenSpans;
  }

  /** Spans that were handed over and could not be taken, that no document has a place for, or whose document cannot be made. */
  get lostSpans(): number {
    return this.#lostSpans;
  }

  /** Files written, those written anew included. */
  get writtenDocuments(): number {
    return this.#documents;
  }

  /** Makes the folder now rather than with the first span. @throws ObserverError `HO_OUTPUT_UNWRITABLE`. */
  open(): void {
    if (!this.#isFolderThere) {
      try {
        mkdirSync(this.#folder, { recursive: true });
      } catch (cause) {
        throw unwritable(this.#folder, cause);
      }
      this.#isFolderThere = true;
    }
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const span of this.#state?.load() ?? []) this.#traces.add(span);
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
   * Takes spans that were read from somewhere else, such as `spansOfRequest` of OTLP/JSON. Those that are known already count no
   * second time.
   * @throws ObserverError `HO_OUTPUT_UNWRITABLE`, `HO_EXPORT_FAILED`.
   */
  take(spans: readonly SpanFacts[]): void {
    const lostBefore = this.#lostSpans;
    try {
      if (this.#isShutdown) throw new ObserverError('HO_EXPORT_FAILED', `${this.#folder} was closed by shutdown().`);
      this.open();
      this.#add(spans);
      for (const due of this.#traces.due()) this.#write(due);
      this.#giveUp();
    } catch (error) {
      // Somebody may have deleted it.
      this.#isFolderThere = false;
      // The disk has what is waited for, or else memory has: as much as it may.
      const kept = this.#state === undefined ? this.#traces.shed() : 0;
      this.#lostSpans += spans.length + kept;
      throw error;
    }
    const lost = this.#lostSpans - lostBefore;
    this.#writtenSpans += Math.max(0, spans.length - lost);
    if (lost > 0) throw new ObserverError('HO_EXPORT_FAILED', `${this.#folder}: some spans cannot be written as ATIF.`);
  }

  /** On disk first: what is known here is not kept there a second time. */
  #add(spans: readonly SpanFacts[]): void {
    const fresh = new Map<string, SpanFacts[]>();
    for (const span of spans) {
      if (this.#traces.has(span)) continue;
      if (!/^[0-9a-f]{32}$/.test(span.traceId)) {
        this.#lostSpans++;
        continue;
      }
      const of = fresh.get(span.traceId);
      if (of === undefined) fresh.set(span.traceId, [span]);
      else of.push(span);
    }
    for (const [traceId, list] of fresh) {
      if (this.#state !== undefined) this.#unsynced.add(this.#state.add(traceId, list));
      for (const span of list) this.#traces.add(span);
    }
  }

  #giveUp(all = false): void {
    for (const { traceId, due, homeless } of this.#traces.giveUp(all)) {
      for (const one of due) this.#write(one);
      this.#state?.forget(traceId);
      this.#lostSpans += homeless;
    }
  }

  /** @throws ObserverError `HO_OUTPUT_UNWRITABLE`. What cannot be made is given up: it would be the same the next time. */
  #write(due: Due): void {
    try {
      this.#writeFiles(due);
    } catch (error) {
      if (ObserverError.isInstance(error)) throw error;
      if ((error as NodeJS.ErrnoException).syscall !== undefined) throw unwritable(this.#folder, error);
      this.#lostSpans += due.tree.sizeOf(due.root);
    }
    this.#traces.written(due);
  }

  #writeFiles(due: Due): void {
    const { root, tree, isMadeUp } = due;
    const isInSession = this.#sessions !== undefined && root.role === 'turn' && !isMadeUp;
    const { trajectory, files } = buildTrajectory(root, tree, {
      subagents: this.#subagents,
      turnFile: (turn) =>
        this.#sessions === undefined ? trajectoryFile(turn.span) : sessionFile(sessionOf(turn) ?? 'none', 1),
    });
    for (const one of files) this.#save(one.name, one.trajectory);
    if (isInSession) this.#sessions?.write(trajectory);
    else this.#save(this.#fileOf(due), trajectory);
    this.#documents += 1 + files.length;
  }

  /** What came late of a turn that was given up does not take the place of the turn. */
  #fileOf({ root, isMadeUp }: Due): string {
    const name = trajectoryFile(root.span);
    return isMadeUp && existsSync(join(this.#folder, name)) ? name.replace(/\.json$/, '-late.json') : name;
  }

  #save(name: string, trajectory: Trajectory): void {
    writeWhole(this.#folder, name, `${JSON.stringify(trajectory)}\n`);
    if (this.#state !== undefined) this.#unsynced.add(join(this.#folder, name));
  }

  /** Resolves when what was written outlives a power failure. */
  async forceFlush(): Promise<void> {
    const paths = [...this.#unsynced];
    this.#unsynced.clear();
    await syncAll(paths);
  }

  /** Writes what never ended as it is, unless a `stateFolder` keeps it. Rejects with `HO_OUTPUT_UNWRITABLE`. */
  async shutdown(): Promise<void> {
    if (this.#isShutdown) return;
    this.#isShutdown = true;
    if (this.#state === undefined && this.#isOpen) this.#giveUp(true);
  }
}
