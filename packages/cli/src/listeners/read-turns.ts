/** How long reading goes on at a stretch, until all else that is due had its turn. */
const SLICE_MILLIS = 5;

/** Reads a piece; true when there is no more to read. It must not throw. */
export type ReadPiece = () => boolean;

/**
 * Who reads next. Parsing keeps the process busy: clients that send much, or nonsense without end, are read in turns, a
 * piece of each, so that a client that sends a little now and then is read at once, and timers and answers are on time.
 */
export class ReadTurns {
  readonly #waiting: ReadPiece[] = [];
  #spent = 0;
  #isScheduled = false;

  /**
   * Reads at once, or in its turn; what is left after a piece waits for the next one.
   * @param isLight whose client has sent little lately: it does not wait for others.
   */
  take(read: ReadPiece, isLight: boolean): void {
    const isNow = isLight || (this.#waiting.length === 0 && this.#spent < SLICE_MILLIS);
    if (!isNow || !this.#do(read)) this.#waiting.push(read);
  }

  #do(read: ReadPiece): boolean {
    const began = performance.now();
    const isDone = read();
    this.#spent += performance.now() - began;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#next());
    }
    return isDone;
  }

  #next(): void {
    this.#isScheduled = false;
    this.#spent = 0;
    while (this.#spent < SLICE_MILLIS) {
      const read = this.#waiting.shift();
      if (read === undefined) return;
      if (!this.#do(read)) this.#waiting.push(read);
    }
  }
}

const LARGEST_PIECE_BYTES = 64 * 1024;
const SMALLEST_PIECE_BYTES = 256;
const PIECE_MILLIS = 2;

/** Chunks of one client in pieces: small ones where a few bytes cost much, such as lines that are no records. */
export class Pieces {
  #bytes = LARGEST_PIECE_BYTES;

  /** Hands a piece of `chunk` to `push`, and gives what is left. */
  next(chunk: Buffer, push: (piece: Buffer) => void): Buffer {
    const piece = chunk.subarray(0, this.#bytes);
    const began = performance.now();
    push(piece);
    const millis = performance.now() - began;
    if (millis > PIECE_MILLIS) {
      this.#bytes = Math.max(SMALLEST_PIECE_BYTES, Math.floor((piece.length * PIECE_MILLIS) / millis));
    } else if (millis < PIECE_MILLIS / 2) this.#bytes = Math.min(LARGEST_PIECE_BYTES, this.#bytes * 2);
    return chunk.subarray(piece.length);
  }
}

/** Who brought no more than this within a second does not wait for those who bring more. */
const LIGHT_BYTES = 64 * 1024;
const WINDOW_MILLIS = 1_000;

/** How much one client brought lately. */
export class RecentBytes {
  #bytes = 0;
  #since = 0;

  /** Notes more, and says whether it is still little. */
  isLightWith(bytes: number): boolean {
    const now = performance.now();
    if (now - this.#since > WINDOW_MILLIS) {
      this.#since = now;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    return this.#bytes <= LIGHT_BYTES;
  }
}
