/** Longest line by default: 64 MiB. */
export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A buffer this large is given back once its line is done. */
const KEPT_BYTES = 1024 * 1024;
const FIRST_BYTES = 4096;

const NEWLINE = 10;
const BYTE_ORDER_MARK_BYTES = 3;

/** Gets what a splitter finds. What it throws comes out of `push` or `end`, and the rest of that chunk is lost. */
export interface LineSink {
  /**
   * A line that is not blank, without its newline; `number` counts from 1. A `\r` before the newline stays: JSON ignores it.
   * `bytes` are those of the line, if the splitter was told to give them.
   */
  onLine(text: string, number: number, bytes: Uint8Array | undefined): void;
  /** A line longer than the bound, told once, when the bound is passed. Its text is skipped. */
  onTooLong(number: number): void;
}

/**
 * Cuts bytes into lines of text. Lines may be cut anywhere between two chunks, inside a character too. Time and memory are
 * linear in the input, however small the chunks: only the start of an unfinished line is copied, never more than the bound.
 *
 * Bytes that are not UTF-8 become U+FFFD. A byte order mark at the start is skipped. Blank lines count, and are not told.
 */
export class LineSplitter {
  /** Lines begun so far, blank ones included. */
  lines = 0;

  readonly #sink: LineSink;
  readonly #maxBytes: number;
  readonly #withBytes: boolean;
  /** Start of a line whose end has not come; `#used` bytes of it are filled. */
  #pending: Buffer = Buffer.alloc(0);
  #used = 0;
  /** A line has begun: counted in `lines`, its newline not seen. */
  #open = false;
  /** The open line is too long: skipped up to its newline. */
  #skipping = false;

  /** With `withBytes` each line comes with its bytes, which may be a part of a chunk that was pushed. */
  constructor(sink: LineSink, maxBytes: number = DEFAULT_MAX_LINE_BYTES, withBytes = false) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
    this.#withBytes = withBytes;
  }

  /** Bytes of an unfinished line that are held. */
  get heldBytes(): number {
    return this.#used;
  }

  /** The chunk may be reused by the caller afterwards, unless bytes of lines were asked for. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    while (start < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline === -1 ? bytes.length : newline;
      if (!this.#open) {
        this.#open = true;
        this.lines++;
      }
      if (newline === -1) {
        this.#keep(bytes, start, end);
        return;
      }
      this.#finish(bytes, start, end);
      start = newline + 1;
    }
  }

  /** Tells a last line that has no newline. */
  end(): void {
    if (this.#open) this.#finish(this.#pending, 0, 0);
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    if (this.#skipping) return;
    const needed = this.#used + end - start;
    if (needed > this.#maxBytes) {
      this.#skipping = true;
      this.#release();
      this.#sink.onTooLong(this.lines);
      return;
    }
    if (needed > this.#pending.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.max(FIRST_BYTES, needed, Math.min(this.#pending.length * 2, this.#maxBytes)),
      );
      this.#pending.copy(larger, 0, 0, this.#used);
      this.#pending = larger;
    }
    bytes.copy(this.#pending, this.#used, start, end);
    this.#used = needed;
  }

  #finish(bytes: Buffer, start: number, end: number): void {
    let text: string | undefined;
    let line: Buffer | undefined;
    const skipped = this.#skipping;
    if (!skipped && this.#used + end - start <= this.#maxBytes) {
      if (this.#used === 0) {
        text = bytes.toString('utf8', start, end);
        if (this.#withBytes) line = bytes.subarray(start, end);
      } else {
        this.#keep(bytes, start, end);
        text = this.#pending.toString('utf8', 0, this.#used);
        if (this.#withBytes) line = Buffer.from(this.#pending.subarray(0, this.#used));
      }
    }
    this.#open = false;
    this.#skipping = false;
    this.#release();
    if (text !== undefined) this.#tell(text, line);
    else if (!skipped) this.#sink.onTooLong(this.lines);
  }

  #tell(text: string, bytes: Buffer | undefined): void {
    let line = text;
    let own = bytes;
    if (this.lines === 1 && line.charCodeAt(0) === 0xfeff) {
      line = line.slice(1);
      own = bytes?.subarray(BYTE_ORDER_MARK_BYTES);
    }
    // A record begins with a brace: only other lines need the look for blanks.
    if (line.charCodeAt(0) === 0x7b || line.trim() !== '') this.#sink.onLine(line, this.lines, own);
  }

  #release(): void {
    this.#used = 0;
    if (this.#pending.length > KEPT_BYTES) this.#pending = Buffer.alloc(0);
  }
}
