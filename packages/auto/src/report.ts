const NAME = '@hermes-observer/auto';

/** Says on standard error what was found, in one line for all that a program loads at once. Never throws. */
export class Report {
  isQuiet = false;
  #observed: string[] = [];
  #left: string[] = [];
  readonly #told = new Set<string>();
  #isDue = false;

  /** @param what name and version */
  observed(what: string): void {
    this.#add(this.#observed, what, what);
  }

  /** Not observed, and why. */
  left(what: string, why: string): void {
    this.#add(this.#left, what, `${what} (${why})`);
  }

  /** Something is wrong. Told at once, each text once. */
  fault(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    write(text);
  }

  #add(list: string[], what: string, text: string): void {
    if (this.isQuiet || this.#told.has(what)) return;
    this.#told.add(what);
    list.push(text);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#tell());
    process.once('exit', () => this.#tell());
  }

  #tell(): void {
    this.#isDue = false;
    const parts = [
      ...(this.#observed.length > 0 ? [`observes ${this.#observed.join(', ')}`] : []),
      ...(this.#left.length > 0 ? [`leaves alone ${this.#left.join(', ')}`] : []),
    ];
    this.#observed = [];
    this.#left = [];
    if (parts.length > 0) write(parts.join('; '));
  }
}

function write(text: string): void {
  try {
    process.stderr.write(`${NAME}: ${text}\n`);
  } catch {
    // Nobody listens.
  }
}
