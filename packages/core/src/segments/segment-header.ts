import { crc32 } from 'node:zlib';

/**
 * The first bytes of a segment, little endian: magic `HOSEGLOG`, version (u32), position of its first record (u64),
 * CRC-32 of these (u32). The name of the file says the position as well: records can be read without the header.
 */
export const SEGMENT_HEADER_BYTES = 24;
const MAGIC = Buffer.from('HOSEGLOG', 'latin1');
const VERSION = 1;

export function encodeSegmentHeader(first: number, version = VERSION): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(version, 8);
  header.writeBigUInt64LE(BigInt(first), 12);
  header.writeUInt32LE(crc32(header.subarray(0, 20)), 20);
  return header;
}

/** What is wrong with a header; `newer` is one that is whole and of a version that is not known here. */
export function headerFault(header: Buffer, first: number): 'damaged' | 'newer' | undefined {
  if (header.length < SEGMENT_HEADER_BYTES || header.readUInt32LE(20) !== crc32(header.subarray(0, 20)))
    return 'damaged';
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return 'damaged';
  if (header.readUInt32LE(8) !== VERSION) return 'newer';
  return header.readBigUInt64LE(12) === BigInt(first) ? undefined : 'damaged';
}
