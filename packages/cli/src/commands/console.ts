import { ObserverError } from '@hermes-observer/core';

/** All records were read and all spans delivered. */
export const EXIT_OK = 0;
/** Something was malformed, unreadable or not delivered; all else was. */
export const EXIT_INCOMPLETE = 1;
/** The command was used wrongly, or an output cannot be opened; nothing was done. */
export const EXIT_USAGE = 2;

/** What a command says: results on standard output, all else on standard error, one line a fault. */
export class Console {
  readonly #debug: boolean;

  constructor(debug: boolean) {
    this.#debug = debug;
  }

  print(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  error(text: string): void {
    process.stderr.write(`hermes-observer: ${text}\n`);
  }

  /** An error as one line with its code; with `--debug` its stack as well. */
  fault(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    const [line = ''] = text.split('\n');
    this.error(ObserverError.isInstance(error) ? `${line} [${error.code}]` : line);
    this.debug(error);
  }

  debug(error: unknown): void {
    if (this.#debug && error instanceof Error) process.stderr.write(`${error.stack ?? error.message}\n`);
  }
}
