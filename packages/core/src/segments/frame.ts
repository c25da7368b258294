import { crc32 } from 'node:zlib';

/**
 * A record on disk, little endian:
 *
 * | bytes | what |
 * | --- | --- |
 * | 0–3 | CRC-32 of all that follows, begun with the low 32 bits of the record's position |
 * | 4–7 | length of the frame, this header included: never zero, so that a hole of zeros is no frame |
 * | 8–13 | time of the append, Unix milliseconds |
 * | 14– | payload |
 *
 * The position in the checksum makes a frame good in one place only: old bytes of a reused block, or of a write that was
 * taken back, are not taken for a record.
 */
export const FRAME_HEADER_BYTES = 14;

/** Bound on one payload, in bytes: a length beyond it is damage, and is never allocated. */
export const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;

/** From this size on, copying a payload costs more than one more entry in a vectored write. */
const COPY_BELOW = 32 * 1024;
const SCRATCH_BYTES = 1024 * 1024;

/** Encodes records for one write. What it returns is good until the next call: it uses its memory again. */
export class FrameEncoder {
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  /** @param first position of the first payload; the others follow. @param time Unix milliseconds, of all of them. */
  encode(payloads: readonly Uint8Array[], first: number, time: number): Uint8Array[] {
    let size = 0;
    for (const { length } of payloads) size += FRAME_HEADER_BYTES + (length < COPY_BELOW ? length : 0);
    const buffer = size <= SCRATCH_BYTES ? this.#scratch : Buffer.allocUnsafeSlow(size);
    const parts: Uint8Array[] = [];
    let position = first;
    let begun = 0;
    let offset = 0;
    for (const payload of payloads) {
      const body = offset + FRAME_HEADER_BYTES;
      buffer.writeUInt32LE(FRAME_HEADER_BYTES + payload.length, offset + 4);
      buffer.writeUIntLE(time, offset + 8, 6);
      if (payload.length < COPY_BELOW) {
        buffer.set(payload, body);
        const end = body + payload.length;
        buffer.writeUInt32LE(crc32(buffer.subarray(offset + 4, end), position >>> 0), offset);
        offset = end;
      } else {
        const start = crc32(buffer.subarray(offset + 4, body), position >>> 0);
        buffer.writeUInt32LE(crc32(payload, start), offset);
        parts.push(buffer.subarray(begun, body), payload);
        offset = body;
        begun = body;
      }
      position++;
    }
    if (offset > begun) parts.push(buffer.subarray(begun, offset));
    return parts;
  }
}

/** Bytes that records take on disk. */
export function framesBytes(payloads: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const payload of payloads) bytes += FRAME_HEADER_BYTES + payload.length;
  return bytes;
}

/** Length of the frame whose header is at `offset`, or undefined if that is no header. It must be in `bytes` whole. */
export function frameLength(bytes: Buffer, offset: number): number | undefined {
  const length = bytes.readUInt32LE(offset + 4);
  return length >= FRAME_HEADER_BYTES && length <= FRAME_HEADER_BYTES + MAX_PAYLOAD_BYTES ? length : undefined;
}

/** Whether the frame at `offset`, which must be in `bytes` whole, is the record of that position, unharmed. */
export function isIntact(bytes: Buffer, offset: number, length: number, position: number): boolean {
  return bytes.readUInt32LE(offset) === crc32(bytes.subarray(offset + 4, offset + length), position >>> 0);
}

export function frameTime(bytes: Buffer, offset: number): number {
  return bytes.readUIntLE(offset + 8, 6);
}
