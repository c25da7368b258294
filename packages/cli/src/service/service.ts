import { type HookRecord, type HrTime, Hub } from '@hermes-observer/core';
import type { ScopeMetrics } from '@opentelemetry/sdk-metrics';
import { countMetrics } from './metrics/count-metrics.js';
import type { MetricExport } from './metrics/metric-export.js';
import type { ServiceOptions } from './options.js';
import { openParts, type Parts } from './parts.js';
import type {
  Acknowledgement,
  AskOptions,
  AskPort,
  Count,
  ExporterState,
  HistoryPort,
  IntakePort,
  PresencePort,
  ProducerState,
  RecordBatch,
  RefusalPort,
  StatusPort,
} from './ports.js';
import { type ResolvedOptions, resolveOptions } from './resolve-options.js';
import { serviceCounts } from './service-counts.js';
import { within } from './within.js';

const LOOK_MILLIS = 1_000;
/** What a stop needs for itself, beside waiting for backends. */
const CLOSE_MILLIS = 1_000;
const DEFAULT_STOP_MS = 8_000;
/** What the last metrics get where spans took all the time. */
const EXPORT_MILLIS = 500;

type StartExport = (collect: () => readonly ScopeMetrics[]) => MetricExport;

/** Loaded where it is asked for. */
async function metricExport(options: ResolvedOptions): Promise<StartExport | undefined> {
  const target = options.metrics?.target;
  if (target === undefined) return undefined;
  const { MetricExport } = await import('./metrics/metric-export.js');
  return (collect) => new MetricExport({ ...options, ...target, collect });
}

/**
 * Takes records, keeps them, makes spans of them and sends these to backends. What was acknowledged becomes spans also
 * after a crash, and no span comes in two versions. See `docs/decisions/010-the-journal-is-the-queue.md`.
 */
export class Service implements IntakePort, AskPort, StatusPort, PresencePort, RefusalPort, HistoryPort {
  /** All records go through it, in the order of the journal; guards answer here. */
  readonly hub: Hub;
  readonly #parts: Parts;
  readonly #running: Promise<void>;
  readonly #timer: NodeJS.Timeout;
  readonly #onWarning: (text: string) => void;
  readonly #export: MetricExport | undefined;
  readonly #startTime: HrTime;
  readonly #now: () => HrTime;
  #stopping: Promise<void> | undefined;
  #hasFailed = false;
  /** What was said last of a folder that is gone. */
  #told: string | undefined;

  private constructor(hub: Hub, parts: Parts, options: ResolvedOptions, startExport: StartExport | undefined) {
    const { onWarning, now } = options;
    this.#now = now;
    this.#startTime = now();
    this.hub = hub;
    this.#parts = parts;
    this.#onWarning = onWarning;
    this.#running = parts.loop.run().catch((error: unknown) => {
      this.#hasFailed = true;
      onWarning(`no spans are made until the service is started again: ${String(error)}`);
    });
    parts.delivery.start();
    this.#export = startExport?.(() => this.#allMetrics());
    this.#timer = setInterval(() => void this.#look(), LOOK_MILLIS);
  }

  /**
   * Opens the data folder, makes what was there usable again, and goes on with it.
   * @throws ObserverError `HO_OPTION`, `HO_PEER_MISSING`, `HO_STORE_LOCKED`, `HO_STORE_FAILED`, `HO_STORE_FULL`.
   */
  static async open(options: ServiceOptions): Promise<Service> {
    const resolved = resolveOptions(options);
    const { onWarning } = resolved;
    const startExport = await metricExport(resolved);
    const hub = new Hub({
      onError: ({ error, hook }) => onWarning(`a subscriber of ${hook} failed: ${String(error)}`),
    });
    const parts = await openParts(resolved, hub);
    return new Service(hub, parts, resolved, startExport);
  }

  take(batch: RecordBatch): Promise<readonly Acknowledgement[]> {
    return this.#parts.intake.take(batch);
  }

  hurry(): void {
    this.#parts.journal.hurry();
  }

  get isPaused(): boolean {
    return this.#parts.intake.pause.isOn;
  }

  onPause(listener: (isPaused: boolean) => void): () => void {
    return this.#parts.intake.pause.onChange(listener);
  }

  present(producer: string): () => void {
    return this.#parts.intake.present(producer);
  }

  refused(lines: number, reason: string): void {
    this.#parts.intake.refused(lines, reason);
  }

  async ask(
    hook: string,
    payload: unknown,
    { timeoutMs, signal }: AskOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer: unknown = await this.hub.ask(hook, payload as Readonly<Record<string, unknown>>, {
      timeoutMs,
      signal,
    });
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  }

  /** Whether records are taken. */
  get isReady(): boolean {
    return this.trouble === undefined;
  }

  /** Why no records are taken, or no spans made. */
  get trouble(): string | undefined {
    const { intake, journal } = this.#parts;
    if (this.#stopping !== undefined) return 'the service is being stopped';
    if (this.#hasFailed) return 'no spans are made until the service is started again';
    if (journal.trouble !== undefined) return journal.trouble.message;
    return intake.isFull ? 'the disk or the journal is full' : undefined;
  }

  counts(): readonly Count[] {
    const counts = [...serviceCounts(this.#parts), ...this.#parts.drops.counts()];
    if (this.#export !== undefined) {
      const help = 'Requests of metrics that were not taken; the next one has all of it.';
      counts.push({ name: 'metric_export_failures', help, value: this.#export.failures });
    }
    return counts;
  }

  agentMetrics(): ScopeMetrics | undefined {
    return this.#parts.metrics?.collect(this.#now());
  }

  #allMetrics(): ScopeMetrics[] {
    const own = countMetrics(this.counts(), this.#startTime, this.#now());
    const agents = this.agentMetrics();
    return agents === undefined ? [own] : [agents, own];
  }

  producers(): readonly ProducerState[] {
    const { producers, sequences } = this.#parts.intake;
    return producers.states((producer) => sequences.missingOf(producer));
  }

  exporters(): readonly ExporterState[] {
    return this.#parts.delivery.states();
  }

  get oldestRecord(): number {
    return this.#parts.journal.oldest;
  }

  get tracedFrom(): number {
    return this.#parts.tracedFrom;
  }

  lines(from: number, to: number): AsyncGenerator<{ readonly position: number; readonly line: Buffer }, void, void> {
    const { journal } = this.#parts;
    return journal.range(Math.max(from, journal.oldest), Math.min(to, journal.next));
  }

  isDeleted(record: HookRecord, position: number): boolean {
    return this.#parts.deletions.has(record, position);
  }

  get deletedTraces(): readonly string[] {
    return this.#parts.deletions.traces;
  }

  async deleteSession(session: string, places: readonly number[], traces: readonly string[]): Promise<void> {
    await this.#parts.deletions.add(session, places, traces);
    this.#parts.deletions.look();
  }

  /** Resolves when what was open is made again, all records acknowledged so far are traced, and their spans are in the spools. */
  async settled(): Promise<void> {
    const { journal, loop } = this.#parts;
    const end = journal.next;
    while ((!loop.isRecovered || loop.spooled < end) && this.#stopping === undefined && !this.#hasFailed)
      await pause(10);
  }

  /**
   * Takes no more records, brings what was taken to the backends as far as time allows, and closes. What does not get
   * there is sent after the next start; what is open stays open.
   * @param deadlineMs the time for all of it. @default 8000
   */
  stop(deadlineMs = DEFAULT_STOP_MS): Promise<void> {
    this.#stopping ??= this.#stop(deadlineMs);
    return this.#stopping;
  }

  /** `stop` with its default. */
  close(): Promise<void> {
    return this.stop();
  }

  async #stop(deadlineMs: number): Promise<void> {
    const end = performance.now() + Math.max(0, deadlineMs - CLOSE_MILLIS);
    const { intake, journal, loop, delivery, checkpointer, deletions } = this.#parts;
    clearInterval(this.#timer);
    intake.stop();
    await journal.flush().catch(() => undefined);
    while (!intake.isIdle && performance.now() < end) await pause(5);
    loop.finish(Math.max(0, end - performance.now()));
    await this.#running;
    await within(loop.added(), Math.max(0, end - performance.now()));
    while (!delivery.isEmpty && performance.now() < end) await pause(10);
    await this.#export?.stop(Math.max(EXPORT_MILLIS, end - performance.now()));
    await delivery.stop();
    await within(deletions.stop(), Math.max(0, end - performance.now()));
    await checkpointer.idle();
    // What is not in the spools must be traced again: without it the checkpoint before holds.
    if (loop.spooled === loop.position) await checkpointer.make(loop.position, Promise.resolve());
    for (const part of [delivery, journal]) {
      await part.close().catch((error) => this.#onWarning(`not all is on disk: ${String(error)}`));
    }
  }

  async #look(): Promise<void> {
    const { intake, journal, loop, delivery, checkpointer, clock, deletions } = this.#parts;
    await this.#lookAfterFolder();
    try {
      await intake.look();
      // Where the journal cannot be made again, somebody else has the folder.
      if (journal.trouble === undefined) {
        await journal.retain(Math.min(checkpointer.settled, loop.spooled));
        // In the background, since it reads all that is kept.
        deletions.look();
        await delivery.look();
      }
    } catch (error) {
      this.#onWarning(`what is not needed any more could not be deleted: ${String(error)}`);
    }
    if (this.#stopping === undefined && loop.isRecovered) await clock.look(loop.position, journal.next);
    journal.wake();
  }

  /** Somebody may have deleted or replaced the data folder. What can be made again is; else nothing is acknowledged. */
  async #lookAfterFolder(): Promise<void> {
    const { journal, checkpointer } = this.#parts;
    const before = journal.trouble;
    try {
      const isNew = await journal.look();
      if (isNew) {
        this.#onWarning(
          'The journal was deleted or replaced while it was in use, and was made again: records are taken from now on. What was not sent yet may be lost.',
        );
      }
      this.#told = undefined;
      if (this.#stopping === undefined) await checkpointer.look();
    } catch (error) {
      const text = String(error instanceof Error ? error.message : error);
      if (this.#told !== text && this.#stopping === undefined) this.#onWarning(`no records are taken: ${text}`);
      this.#told = text;
    }
    if (before !== journal.trouble) this.#parts.intake.regulate();
  }
}

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));
