import { homedir } from 'node:os';
import { configError } from '../../hooks/config-error.js';
import { compileGlob } from '../../hooks/glob.js';
import { textsOf } from '../builtin-hook.js';
import { realPath } from './real-path.js';

/** Folders with all below them, and globs over whole paths, in which `*` stands for `/` too. */
export class PathList {
  readonly #folders: readonly string[];
  readonly #globs: readonly ((path: string) => boolean)[];
  readonly #fold: (path: string) => string;
  #real: Promise<readonly string[]> | undefined;
  #realAt = 0;

  /**
   * @param given absolute, or beginning with `~/` or `*`.
   * @param anyCase whether capitals and Unicode forms make no difference, as on the disks of some systems.
   * @throws ObserverError `HO_POLICY_CONFIG`.
   */
  constructor(given: unknown, where: string, anyCase: boolean, home: string | undefined = homedir()) {
    const entries = textsOf(given, where).map((entry) => {
      const path = entry === '~' || entry.startsWith('~/') ? (home ?? '') + entry.slice(1) : entry;
      if (!/^[/*]/.test(path))
        throw configError(`${where}: ${JSON.stringify(entry)} must be absolute, or begin with ~/ or *.`);
      return path;
    });
    this.#fold = (path) => (anyCase ? path.normalize('NFC').toLowerCase() : path);
    this.#folders = entries.filter((entry) => !isGlob(entry)).map(withoutSlash);
    this.#globs = entries.filter(isGlob).map((entry) => {
      try {
        return compileGlob(this.#fold(entry));
      } catch (cause) {
        throw configError(`${where}: ${JSON.stringify(entry)}: ${(cause as Error).message}.`, cause);
      }
    });
  }

  /** Whether a resolved path is one of these, or below one. */
  async has(path: string): Promise<boolean> {
    const folded = this.#fold(path);
    if (this.#globs.some((matches) => matches(folded))) return true;
    return (await this.#realFolders()).some(
      (folder) => folder === '/' || folded === folder || folded.startsWith(`${folder}/`),
    );
  }

  /** The folders may be links themselves, and be moved: looked up anew each second. */
  #realFolders(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#real === undefined || now - this.#realAt > 1000) {
      this.#realAt = now;
      this.#real = Promise.all(
        this.#folders.map(async (folder) => [folder, await realPath(folder)].map(this.#fold)),
      ).then((pairs) => [...new Set(pairs.flat())]);
      this.#real.catch(() => {
        this.#real = undefined;
      });
    }
    return this.#real;
  }
}

const isGlob = (entry: string): boolean => /[*?[{\\]/.test(entry);
const withoutSlash = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, '') || '/' : path);
