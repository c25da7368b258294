import { type ErrorCode, ObserverError } from '@hermes-observer/core';

/** All records were read and all spans delivered. */
export const EXIT_OK = 0;
/** Something was malformed, unreadable or not delivered, or failed on the way; all else was done. */
export const EXIT_INCOMPLETE = 1;
/** The command was used wrongly, or an output cannot be opened; nothing was done. */
export const EXIT_USAGE = 2;

/** What a command says: results on standard output, all else on standard error, one line a fault, its code at the end. */
export class Console {
  readonly #debug: boolean;

  constructor(debug: boolean) {
    this.#debug = debug;
  }

  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  error(text: string): void {
    process.stderr.write(`hermes-observer: ${text}\n`);
  }

  /** An error as one line with its code; with `--debug` its stack as well. One without a code is a fault in here. */
  fault(error: unknown): void {
    this.error(faultText(error));
    this.debug(error);
  }

  /** The exit code for an error that came before anything was done. Throws what is no error of that kind. */
  refuse(error: unknown): number {
    if (!ObserverError.isInstance(error)) throw error;
    this.fault(error);
    return EXIT_USAGE;
  }

  debug(error: unknown): void {
    if (this.#debug && error instanceof Error) process.stderr.write(`${error.stack ?? error.message}\n`);
  }
}

const INTERNAL: ErrorCode = 'HO_INTERNAL';

export function faultText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [line = ''] = text.split('\n');
  if (ObserverError.isInstance(error)) return `${line} [${error.code}]`;
  return `a fault of this program, please report it: ${line || 'no message'} [${INTERNAL}]`;
}
