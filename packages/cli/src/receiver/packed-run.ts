import type { SlicedBytes } from './repeated-texts.js';

/**
 * The bytes of spans that came one behind the other, all of one trace, as characters. One long text for all of them: each
 * span's own would be moved twice in memory. Nothing else may stand in it, since it is kept as long as one of them.
 */
export class PackedRun {
  readonly traceId: string;
  /** Where it begins and ends in the message. */
  readonly #from: number;
  end: number;
  /** Until its bytes are taken out of it. */
  #message: SlicedBytes | undefined;
  #text = '';

  constructor(message: SlicedBytes, traceId: string, from: number, end: number) {
    this.#message = message;
    this.traceId = traceId;
    this.#from = from;
    this.end = end;
  }

  /** Takes its bytes out of the message, whose memory is for another one afterwards. */
  close(): void {
    this.#text = this.#message?.latin1Slice(this.#from, this.end) ?? this.#text;
    this.#message = undefined;
  }

  /** Bytes of a span in it, by its places in the message. Not to be kept. */
  bytes(from: number, end: number): Buffer {
    if (this.#message !== undefined) return this.#message.subarray(from, end);
    return Buffer.from(this.#text.slice(from - this.#from, end - this.#from), 'latin1');
  }
}
