import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { HookRecord } from '@hermes-observer/core';

const MOST = 10_000;
const FIELDS = ['session_id', 'child_session_id', 'parent_session_id'] as const;

/**
 * Sessions that somebody deleted. The journal is only ever appended to, so their records stay in it until they are too old;
 * this file, of mode 0600, has digests of their names, so that nothing of them is shown again.
 */
export class ForgottenSessions {
  readonly #file: string | undefined;
  readonly #digests: Set<string>;
  #writing: Promise<void> = Promise.resolve();

  /** Without a file they are forgotten with the process. */
  constructor(file?: string) {
    this.#file = file;
    this.#digests = new Set(file === undefined ? [] : read(file));
  }

  has(session: string): boolean {
    return this.#digests.size > 0 && this.#digests.has(digest(session));
  }

  /** Whether a record is of one of them. */
  hasRecord({ payload }: HookRecord): boolean {
    if (this.#digests.size === 0) return false;
    return FIELDS.some((field) => typeof payload[field] === 'string' && this.has(payload[field]));
  }

  /** Resolves when it is on disk. The oldest go when there are too many. @throws what the file system says */
  async add(session: string): Promise<void> {
    this.#digests.add(digest(session));
    const [oldest] = this.#digests;
    if (this.#digests.size > MOST && oldest !== undefined) this.#digests.delete(oldest);
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write());
    await this.#writing;
  }

  async #write(): Promise<void> {
    if (this.#file === undefined) return;
    await writeFile(`${this.#file}.new`, `${[...this.#digests].join('\n')}\n`, { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }
}

const digest = (session: string) => createHash('sha256').update(session).digest('hex');

function read(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /^[0-9a-f]{64}$/.test(line));
  } catch {
    return [];
  }
}
