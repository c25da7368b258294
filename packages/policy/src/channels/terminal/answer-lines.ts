import { StringDecoder } from 'node:string_decoder';

const MOST_LINE = 256;

/** Lines that are typed, without what makes them long: a line over 256 characters is none that answers. */
export class AnswerLines {
  readonly #input: NodeJS.ReadableStream;
  readonly #onLine: (line: string) => void;
  readonly #onEnd: () => void;
  readonly #decoder = new StringDecoder('utf8');
  #line = '';

  /** Reads from now on. */
  constructor(input: NodeJS.ReadableStream, onLine: (line: string) => void, onEnd: () => void) {
    this.#input = input;
    this.#onLine = onLine;
    this.#onEnd = onEnd;
    input.on('data', this.#take);
    input.on('end', onEnd);
    input.on('error', onEnd);
    input.resume();
  }

  /** Takes nothing more, and leaves the rest of the input to others. */
  stop(): void {
    this.#input.pause();
    this.#input.off('data', this.#take);
    this.#input.off('end', this.#onEnd);
    this.#input.off('error', this.#onEnd);
  }

  /** Forgets what of a line is typed already. */
  clear(): void {
    this.#line = '';
  }

  readonly #take = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    const [first = '', ...more] = text.split(/\r\n|\r|\n/);
    this.#line = (this.#line + first).slice(0, MOST_LINE + 1);
    for (const next of more) {
      const line = this.#line;
      this.#line = next.slice(0, MOST_LINE + 1);
      this.#onLine(line);
    }
  };
}
