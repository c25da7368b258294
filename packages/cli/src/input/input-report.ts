import type { MalformedLine } from '@hermes-observer/core';
import { ObserverError } from '@hermes-observer/core';

const MOST_SHOWN = 20;

/** What reading the inputs came to: records, malformed lines with their places, inputs that could not be read. */
export class InputReport {
  records = 0;
  malformedLines = 0;
  unreadableInputs = 0;
  readonly #messages: string[] = [];
  /** The first error, for `--debug`. */
  firstError: unknown = undefined;

  malformed(path: string, { line, error }: MalformedLine): void {
    this.malformedLines++;
    this.firstError ??= error;
    if (this.malformedLines <= MOST_SHOWN) this.#messages.push(`${nameOf(path)}:${line}: ${error.message}`);
  }

  unreadable(path: string, error: unknown): void {
    this.unreadableInputs++;
    this.firstError ??= error;
    this.#messages.push(`${nameOf(path)}: ${unreadableReason(error)} [HO_INPUT_UNREADABLE]`);
  }

  /** True when every record of every input was read. */
  get isClean(): boolean {
    return this.malformedLines === 0 && this.unreadableInputs === 0;
  }

  /** One line a fault, the first ones of many, and their number last. */
  lines(): string[] {
    const lines = [...this.#messages];
    if (this.malformedLines > MOST_SHOWN) lines.push(`… and ${this.malformedLines - MOST_SHOWN} more`);
    if (this.malformedLines > 0) {
      const noun = this.malformedLines === 1 ? 'line is' : 'lines are';
      lines.push(`${this.malformedLines} ${noun} malformed and left out; all others were read [HO_RECORDS_MALFORMED]`);
    }
    return lines;
  }
}

const nameOf = (path: string) => (path === '-' ? 'standard input' : path);

function unreadableReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'no such file; check the path';
  if (code === 'EISDIR') return 'this is a folder; name the recordings in it';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied; make the file readable';
  if (ObserverError.isInstance(error)) return error.message;
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
