const EVERY_MILLIS = 250;
const AFTER_MILLIS = 1000;

/** A line on the terminal that counts along during a long run, and is gone at its end. */
export class Progress {
  readonly #out: NodeJS.WriteStream;
  readonly #began = performance.now();
  #shownAt = 0;
  #shown = false;

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.#out = out;
  }

  update(records: number): void {
    if (!this.#out.isTTY) return;
    const now = performance.now();
    if (now - this.#began < AFTER_MILLIS || now - this.#shownAt < EVERY_MILLIS) return;
    this.#shownAt = now;
    this.#shown = true;
    const perSecond = Math.round((records / (now - this.#began)) * 1000);
    this.#out.write(`\r\x1b[K${records.toLocaleString('en')} records, ${perSecond.toLocaleString('en')} a second`);
  }

  done(): void {
    if (this.#shown) this.#out.write('\r\x1b[K');
  }
}
