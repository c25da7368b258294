import type { MalformedLine } from '@hermes-observer/core';
import { ObserverError } from '@hermes-observer/core';
import type { Suspicion } from './input-start.js';

const MOST_SHOWN = 20;

/** What is known of one input. */
interface InputFaults {
  /** Its malformed lines, the first ones of many. */
  readonly places: string[];
  readonly unreadable: string[];
  /** Its lines that were used. */
  used: number;
  malformed: number;
  firstMalformed: number;
  suspicion: Suspicion | undefined;
}

/** What reading the inputs came to: records, malformed lines with their places, inputs that could not be read. */
export class InputReport {
  records = 0;
  malformedLines = 0;
  unreadableInputs = 0;
  readonly #inputs = new Map<string, InputFaults>();
  /** The first error, for `--debug`. */
  firstError: unknown = undefined;

  /** Records that were read. */
  read(path: string, count: number): void {
    this.records += count;
    this.used(path, count);
  }

  /** Lines that were of use, records or not. */
  used(path: string, count: number): void {
    this.#of(path).used += count;
  }

  malformed(path: string, { line, error }: MalformedLine): void {
    const input = this.#of(path);
    if (input.malformed === 0) input.firstMalformed = line;
    input.malformed++;
    this.malformedLines++;
    this.firstError ??= error;
    if (input.places.length < MOST_SHOWN) {
      input.places.push(`${nameOf(path)}:${line}: ${error.message} [${error.code}]`);
    }
  }

  unreadable(path: string, error: unknown): void {
    this.unreadableInputs++;
    this.firstError ??= error;
    // The others are counted: there may be many thousands of them.
    if (this.unreadableInputs > MOST_SHOWN) return;
    this.#of(path).unreadable.push(`${nameOf(path)}: ${unreadableReason(error)} [HO_INPUT_UNREADABLE]`);
  }

  /** What an input seems to be. It is said in place of all its malformed lines if no line of it was of use. */
  suspect(path: string, suspicion: Suspicion): void {
    this.#of(path).suspicion ??= suspicion;
  }

  /** True when every record of every input was read. */
  get isClean(): boolean {
    return this.malformedLines === 0 && this.unreadableInputs === 0;
  }

  /** One line a fault, input by input, the first ones of many, and their number last. */
  lines(): string[] {
    const lines: string[] = [];
    let room = MOST_SHOWN;
    let unnamed = this.malformedLines;
    for (const [path, input] of this.#inputs) {
      const { suspicion, malformed, firstMalformed } = input;
      if (suspicion !== undefined && malformed > 0 && input.used === 0) {
        lines.push(`${nameOf(path)}:${firstMalformed}: ${suspicion.message} [${suspicion.code}]`);
        unnamed -= malformed;
      } else {
        const places = input.places.slice(0, room);
        lines.push(...places);
        room -= places.length;
        unnamed -= places.length;
      }
      lines.push(...input.unreadable);
    }
    const unnamedInputs = this.unreadableInputs - MOST_SHOWN;
    if (unnamedInputs > 0) {
      lines.push(
        `${this.unreadableInputs} inputs cannot be read, ${unnamedInputs} of them not named here [HO_INPUT_UNREADABLE]`,
      );
    }
    if (this.malformedLines > 0) lines.push(this.#countText(unnamed));
    return lines;
  }

  #countText(unnamed: number): string {
    const noun = this.malformedLines === 1 ? 'line is' : 'lines are';
    const rest = unnamed === 0 ? '' : `, ${unnamed} of them not named here`;
    return `${this.malformedLines} ${noun} malformed and left out${rest}; all others were read [HO_RECORDS_MALFORMED]`;
  }

  #of(path: string): InputFaults {
    let input = this.#inputs.get(path);
    if (input === undefined) {
      input = { places: [], unreadable: [], used: 0, malformed: 0, firstMalformed: 0, suspicion: undefined };
      this.#inputs.set(path, input);
    }
    return input;
  }
}

/** A path as one word: an empty one, or one that a terminal could take as a command, in quotes. */
function nameOf(path: string): string {
  if (path === '-') return 'standard input';
  return path === '' || /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}

function unreadableReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'no such file; check the path';
  if (code === 'EISDIR')
    return 'this is a folder without a journal of serve; view takes one with *.ndjson or *.jsonl files; else name the files in it';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied; make the file readable';
  if (ObserverError.isInstance(error)) return error.message;
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
