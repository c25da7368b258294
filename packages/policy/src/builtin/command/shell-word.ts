/**
 * One word of a command, as far as it is known before a shell expands it. Where `text` is not known, the word may become
 * anything that begins with `prefix`.
 */
export interface ShellWord {
  /** What the program gets. `undefined` where it depends on variables, files or other commands. */
  readonly text: string | undefined;
  /** Characters it surely begins with. The same as `text` where that is known. */
  readonly prefix: string;
  /** `one` word; or none or several, all of which begin with `prefix` (`alike`), or of which only the first does (`any`). */
  readonly count: 'one' | 'alike' | 'any';
}

export const known = (text: string): ShellWord => ({ text, prefix: text, count: 'one' });

export const anyWords: ShellWord = Object.freeze({ text: undefined, prefix: '', count: 'any' });

/** How a program is started, as far as it can be told. The first word is its name. */
export interface Invocation {
  readonly words: readonly ShellWord[];
  /** Files that it is redirected to, which are made or changed. */
  readonly writes: readonly ShellWord[];
  /** Where it runs is not known: there was a `cd` before it, or an option that changes it. */
  readonly moved: boolean;
}

/** What a line would run. */
export interface ShellReading {
  readonly invocations: readonly Invocation[];
  /** Why there may be more to it than that. Empty: nothing was left out. */
  readonly unclear: readonly string[];
}
