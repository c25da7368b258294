import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '@hermes-observer/core/segments';

/** A session that is to be gone from the journal. */
export interface Deletion {
  /** Digests of its name and of those of its child agents. */
  readonly sessions: string[];
  /** Positions of its records, as far as they are known: first and count in turn, rising. */
  readonly ranges: readonly number[];
  /** Ids of its traces: the service may make them again before their records are gone. */
  readonly traces: readonly string[];
  /** Records at or behind this position came later, and stay. */
  readonly upTo: number;
}

/** Names of sessions are not kept for longer than their records. */
export const sessionDigest = (session: string) => createHash('sha256').update(session).digest('hex');

const DIGEST = /^[0-9a-f]{64}$/;

/** Deletions that are not done, in a file of mode 0600 that is replaced whole. */
export class DeletionFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** @param end of the journal: what lists of an earlier version mean. @throws Error where it is there and is none */
  async load(end: number): Promise<Deletion[]> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    if (!text.startsWith('{')) {
      const sessions = text.split('\n').filter((line) => DIGEST.test(line));
      return sessions.length === 0 ? [] : [{ sessions, ranges: [], traces: [], upTo: end }];
    }
    const { deletions } = JSON.parse(text) as { deletions: Deletion[] };
    return deletions.map(({ sessions, ranges, traces, upTo }) => ({
      sessions: [...sessions],
      ranges: [...ranges],
      traces: [...traces],
      upTo: Number(upTo),
    }));
  }

  /** Resolves when it is on disk. @throws Error of the file system; what was there before holds then */
  async save(deletions: readonly Deletion[]): Promise<void> {
    const file = await open(`${this.#path}.new`, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ version: 1, deletions })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${this.#path}.new`, this.#path);
    await syncFolder(dirname(this.#path));
  }
}
