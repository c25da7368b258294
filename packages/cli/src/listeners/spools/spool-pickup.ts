import { readdirSync, type Stats, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ListenerContext } from '../listener-context.js';
import { asObserverError } from '../protocol.js';
import { readLockTable } from './lock-table.js';
import { takeSpoolFile } from './spool-file.js';

const EVERY_MILLIS = 1_000;
/** One that is being written is not taken, whatever its process is. */
const SETTLED_MILLIS = 2_000;
/** One whose process seems to live, by its number alone, is taken after so long without a change. */
const ABANDONED_MILLIS = 60_000;

interface Candidate {
  readonly path: string;
  readonly stats: Stats;
}

/** Takes over what forwarders left on disk: full files, and those whose process is gone. Deletes them when it is safe. */
export class SpoolPickup {
  readonly #folder: string;
  readonly #context: ListenerContext;
  /** Files that cannot be read, told once. */
  readonly #told = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;
  #files = 0;

  constructor(folder: string, context: ListenerContext) {
    this.#folder = folder;
    this.#context = context;
    context.counts.watch(
      'spool_files_taken',
      'Files of forwarders that were taken over.',
      'counter',
      () => this.#files,
    );
  }

  start(): void {
    if (this.#isStopped) return;
    this.#round = this.look();
    void this.#round.then(() => {
      if (this.#isStopped) return;
      this.#timer = setTimeout(() => this.start(), EVERY_MILLIS);
      this.#timer.unref();
    });
  }

  /** Resolves when the file under way is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** One look into the folder. Never rejects. */
  async look(now = Date.now()): Promise<void> {
    const { intake } = this.#context.ports;
    for (const candidate of this.#candidates(now)) {
      if (this.#isStopped || intake.isPaused) return;
      try {
        await this.#takeOver(candidate);
      } catch (thrown) {
        if (!this.#told.has(candidate.path)) this.#context.onFault(asObserverError(thrown));
        this.#told.add(candidate.path);
      }
    }
  }

  async #takeOver({ path }: Candidate): Promise<void> {
    const read = await takeSpoolFile(path, this.#context);
    // Something was added meanwhile: its owner lives, and it is looked at again.
    if (statSync(path).size !== read.bytes) return;
    unlinkSync(path);
    this.#files++;
  }

  /** The oldest first, and those of one producer in the order of their names. */
  #candidates(now: number): Candidate[] {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      return [];
    }
    const locks = names.some((name) => name.endsWith('.open')) ? readLockTable() : undefined;
    const candidates = names.flatMap((name): Candidate[] => {
      const path = join(this.#folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) return [];
      if (name.endsWith('.ndjson')) return [{ path, stats }];
      if (!name.endsWith('.ndjson.open') || locks?.(stats) === true) return [];
      const still = now - stats.mtimeMs;
      const isLeft = still > SETTLED_MILLIS && (!isRunning(name) || (locks !== undefined && still > ABANDONED_MILLIS));
      return isLeft ? [{ path, stats }] : [];
    });
    return inOrder(candidates);
  }
}

const LAST_PART = /-(\d+)\.ndjson(?:\.open)?$/;

/** Times may be those of a clock that was set back: among the files of one producer their numbers say which is older. */
function inOrder(candidates: Candidate[]): Candidate[] {
  const oldest = new Map<string, number>();
  const places = candidates.map((candidate) => {
    const { path, stats } = candidate;
    const producer = path.replace(LAST_PART, '');
    oldest.set(producer, Math.min(stats.mtimeMs, oldest.get(producer) ?? Number.POSITIVE_INFINITY));
    return { candidate, path, producer, number: Number(LAST_PART.exec(path)?.[1] ?? 0) };
  });
  places.sort((a, b) => {
    if (a.producer === b.producer) return a.number - b.number || (a.path < b.path ? -1 : 1);
    return (oldest.get(a.producer) ?? 0) - (oldest.get(b.producer) ?? 0) || (a.producer < b.producer ? -1 : 1);
  });
  return places.map(({ candidate }) => candidate);
}

/** Of `<producer>-<pid>-<n>.ndjson.open`. A process of another container has a number that means nothing here. */
function isRunning(name: string): boolean {
  const pid = Number(/-(\d+)-\d+\.ndjson\.open$/.exec(name)?.[1]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
