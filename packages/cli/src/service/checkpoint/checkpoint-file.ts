import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Checkpoint } from './checkpoint.js';

const NAME = 'checkpoint.json';
const BEFORE = 'checkpoint.before.json';

/**
 * The newest checkpoint of a folder, kept as one file that is replaced whole: a line with its checksum, and JSON. The one
 * before stays, for a disk that lost the newest.
 */
export class CheckpointFile {
  readonly #folder: string;
  /** Bytes of the newest one. */
  bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `undefined` if there is none that is whole. `onDamage` is told of one that is not. */
  async load(onDamage: (text: string) => void): Promise<Checkpoint | undefined> {
    for (const name of [NAME, BEFORE]) {
      const path = join(this.#folder, name);
      try {
        return parse(await readFile(path));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
        const reason = error instanceof Error ? error.message : String(error);
        onDamage(`${path} cannot be used: ${reason}. An older state is gone on from; spans may be sent again.`);
      }
    }
    return undefined;
  }

  /** False if it was deleted; true if that cannot be said. */
  async isThere(): Promise<boolean> {
    try {
      await stat(join(this.#folder, NAME));
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT';
    }
  }

  /** @throws Error of the file system; the checkpoint before holds then. */
  async save(checkpoint: Checkpoint): Promise<void> {
    const body = Buffer.from(JSON.stringify(checkpoint));
    const temporary = join(this.#folder, `${NAME}.tmp`);
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(Buffer.concat([Buffer.from(`${crc32(body).toString(16)}\n`), body]));
      await file.datasync();
    } finally {
      await file.close();
    }
    const path = join(this.#folder, NAME);
    await rename(path, join(this.#folder, BEFORE)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(temporary, path);
    await syncFolder(this.#folder);
    this.bytes = body.length;
  }
}

function parse(bytes: Buffer): Checkpoint {
  const end = bytes.indexOf(10);
  const body = bytes.subarray(end + 1);
  if (end < 0 || crc32(body).toString(16) !== bytes.toString('latin1', 0, end))
    throw new Error('its checksum is wrong');
  const checkpoint = JSON.parse(body.toString()) as Checkpoint;
  if (checkpoint.version !== 1) throw new Error(`it is of version ${checkpoint.version}`);
  return checkpoint;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
