import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A list that outlives a crash, in a file of its own: it is written whole under another name, and then gets its name. */
export class StateFile<T> {
  readonly #path: string;
  #last = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** Nothing where there is no file, or one that is none of ours. */
  load(): T[] {
    try {
      this.#last = readFileSync(this.#path, 'utf8');
      const list: unknown = JSON.parse(this.#last);
      return Array.isArray(list) ? list : [];
    } catch {
      return [];
    }
  }

  /** @throws Error of the file system. */
  save(list: readonly T[]): void {
    const text = list.length === 0 ? '' : JSON.stringify(list);
    if (text === this.#last) return;
    if (text === '') rmSync(this.#path, { force: true });
    else {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(`${this.#path}.tmp`, text, { mode: 0o600 });
      renameSync(`${this.#path}.tmp`, this.#path);
    }
    this.#last = text;
  }
}
