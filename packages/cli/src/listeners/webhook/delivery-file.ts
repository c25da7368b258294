import { type FileHandle, open, readFile, rename } from 'node:fs/promises';

/** A delivery that was taken, and when it may be forgotten, in Unix milliseconds. */
export type KnownDelivery = readonly [id: string, until: number];

/** After so many more lines it is written anew, without those that are to be forgotten. */
const MOST_OLD_LINES = 10_000;

/**
 * The deliveries that were taken lately, so that a restart does not let them in again: lines of JSON, added to before the
 * agent gets its answer, and synced.
 */
export class DeliveryFile {
  readonly #path: string;
  /** Those that are in the file. */
  #known = new Map<string, number>();
  #file: FileHandle | undefined;
  #lines = 0;
  #mostLines = 0;
  #working: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Those that are not to be forgotten yet, in the order of that. What is no line of ours is left out. */
  async load(now: number): Promise<KnownDelivery[]> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const known = new Map<string, number>();
    for (const line of text.split('\n')) {
      const [id, until] = parsed(line);
      if (typeof id === 'string' && typeof until === 'number' && until > now) known.set(id, until);
    }
    this.#known = new Map([...known].sort(([, a], [, b]) => a - b));
    return [...this.#known];
  }

  /** Adds one; resolves when it is on disk. @throws Error of the file system. */
  add([id, until]: KnownDelivery, now: number): Promise<void> {
    const added = this.#working.then(() => this.#add(id, until, now));
    this.#working = added.catch(() => undefined);
    return added;
  }

  async close(): Promise<void> {
    await this.#working;
    await this.#file?.close().catch(() => undefined);
    this.#file = undefined;
  }

  async #add(id: string, until: number, now: number): Promise<void> {
    this.#known.set(id, until);
    // Of a file that was deleted with its folder nobody would find what is added.
    const isThere = this.#file !== undefined && (await this.#file.stat()).nlink > 0;
    if (isThere && this.#lines < this.#mostLines) await this.#append([[id, until]]);
    else await this.#writeAnew(now);
  }

  async #append(deliveries: readonly KnownDelivery[]): Promise<void> {
    // A line that was cut short before must not take this one along.
    await this.#file?.appendFile(`\n${deliveries.map((delivery) => JSON.stringify(delivery)).join('\n')}\n`);
    await this.#file?.datasync();
    this.#lines += deliveries.length;
  }

  async #writeAnew(now: number): Promise<void> {
    for (const [id, until] of this.#known) if (until <= now) this.#known.delete(id);
    this.#mostLines = this.#known.size + MOST_OLD_LINES;
    await this.#file?.close().catch(() => undefined);
    this.#file = undefined;
    const temporary = `${this.#path}.new`;
    const file = await open(temporary, 'w', 0o600);
    this.#file = file;
    this.#lines = 0;
    try {
      await this.#append([...this.#known]);
      await rename(temporary, this.#path);
    } catch (error) {
      this.#file = undefined;
      await file.close();
      throw error;
    }
  }
}

function parsed(line: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
