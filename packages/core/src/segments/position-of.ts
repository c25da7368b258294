import { crc32 } from 'node:zlib';

const POLYNOMIAL = 0xedb88320;
/** Powers of two that a length may have: 2^27 bytes are more than any frame. */
const POWERS = 27;

/** A linear map of 32 bits: what becomes of each bit. */
type BitMap = Uint32Array;

/**
 * The position, modulo 2^32, that makes the frame at `offset` intact: a checksum that begins with the position can be
 * solved for it. Whether that is a position that can be there is for the caller to say; of bytes that are no frame it is
 * any number.
 */
export function positionOf(bytes: Buffer, offset: number, length: number): number {
  const covered = bytes.subarray(offset + 4, offset + length);
  const difference = bytes.readUInt32LE(offset) ^ crc32(covered, 0);
  return backOverZeros(difference >>> 0, covered.length);
}

/** What a remainder was before so many bytes of zeros went over it. */
function backOverZeros(remainder: number, bytes: number): number {
  maps ??= inverses();
  let value = remainder;
  for (let power = 0; power < POWERS; power++) if ((bytes >>> power) & 1) value = apply(maps[power] as BitMap, value);
  return value;
}

/** Made when damage is first met. */
let maps: BitMap[] | undefined;

/** The maps back over 1, 2, 4, … bytes of zeros. */
function inverses(): BitMap[] {
  let map = new Uint32Array(32);
  for (let bit = 0; bit < 32; bit++) {
    const one = 2 ** bit;
    // Forward, a bit goes out at the low end and brings the polynomial in, whose highest bit is set.
    map[bit] = bit === 31 ? (((one ^ POLYNOMIAL) << 1) | 1) >>> 0 : (one << 1) >>> 0;
  }
  for (let i = 0; i < 3; i++) map = squared(map);
  const all = [map];
  for (let power = 1; power < POWERS; power++) {
    map = squared(map);
    all.push(map);
  }
  return all;
}

const squared = (map: BitMap): Uint32Array<ArrayBuffer> => Uint32Array.from(map, (column) => apply(map, column));

function apply(map: BitMap, value: number): number {
  let result = 0;
  for (let bit = 0, rest = value; rest !== 0; bit++, rest >>>= 1) if (rest & 1) result ^= map[bit] as number;
  return result >>> 0;
}
