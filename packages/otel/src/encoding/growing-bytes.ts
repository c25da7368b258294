const FIRST_BYTES = 64 * 1024;
/** A buffer that grew beyond this for one large message is not kept. */
const MOST_KEPT_BYTES = 1024 * 1024;

/** Bytes that are written one after the other, into a buffer that is used again. */
export class GrowingBytes {
  protected bytes: Buffer;
  protected at = 0;

  constructor(bytes = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(bytes);
  }

  /** What was written since the last call, or since `reset()`. */
  take(): Uint8Array {
    const { at } = this;
    if (at * 2 > this.bytes.length) {
      // Mostly full, as a request is: it is given away as it stands.
      const taken = this.bytes.subarray(0, at);
      this.bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
      this.at = 0;
      return taken;
    }
    const taken = Uint8Array.prototype.slice.call(this.bytes, 0, at);
    this.reset();
    return taken;
  }

  /** Begins something of a size that is known, at most. */
  reserve(size: number): void {
    this.reset();
    if (size > this.bytes.length) this.bytes = Buffer.allocUnsafeSlow(size);
  }

  /** Drops what was written since `take()`, such as a half of something that threw. */
  reset(): void {
    this.at = 0;
    if (this.bytes.length > MOST_KEPT_BYTES) this.bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  /** Bytes written so far. */
  get size(): number {
    return this.at;
  }

  /** Takes back what was written behind `size`. */
  truncate(size: number): void {
    this.at = size;
  }

  /** A part of what was written, to be read before more is. */
  view(start: number, end: number): Uint8Array {
    return this.bytes.subarray(start, end);
  }

  /** Bytes as they are. */
  raw(value: Uint8Array): void {
    this.room(value.length);
    this.bytes.set(value, this.at);
    this.at += value.length;
  }

  /** Makes room for more bytes. */
  protected room(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.at + size));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}
