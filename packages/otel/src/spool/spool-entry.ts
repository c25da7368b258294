import type { Encoding } from '../encoding/encoding.js';
import { JSON_ENCODING } from '../encoding/json-encoding.js';
import { PROTOBUF_ENCODING } from '../encoding/protobuf-encoding.js';

/**
 * A request as it waits on disk, little endian:
 *
 * | bytes | what |
 * | --- | --- |
 * | 0 | 1: OTLP/JSON, 2: OTLP as protobuf |
 * | 1–4 | spans in it |
 * | 5–12 | all spans of what stands before this position of their source are in the spool up to here, double |
 * | 13–20 | spans in all requests before it, double |
 * | 21–28 | bytes of all requests before it, double |
 * | 29– | `ExportTraceServiceRequest` |
 */
export interface SpoolEntry {
  readonly spans: number;
  readonly upTo: number;
  readonly spansBefore: number;
  readonly bytesBefore: number;
  readonly encoding: Encoding;
  readonly body: Buffer;
}

const ENCODINGS: readonly (Encoding | undefined)[] = [undefined, JSON_ENCODING, PROTOBUF_ENCODING];
export const HEADER_BYTES = 29;

/** Bytes of an entry as it waits. */
export const entryBytes = ({ body }: Pick<SpoolEntry, 'body'>) => HEADER_BYTES + body.length;

export function encodeEntry(entry: Omit<SpoolEntry, 'body'>, body: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafeSlow(HEADER_BYTES + body.length);
  bytes[0] = ENCODINGS.indexOf(entry.encoding);
  bytes.writeUInt32LE(entry.spans, 1);
  bytes.writeDoubleLE(entry.upTo, 5);
  bytes.writeDoubleLE(entry.spansBefore, 13);
  bytes.writeDoubleLE(entry.bytesBefore, 21);
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

/** `undefined` for what is of another version. */
export function decodeEntry(bytes: Buffer): SpoolEntry | undefined {
  const encoding = ENCODINGS[bytes[0] ?? 0];
  if (encoding === undefined || bytes.length < HEADER_BYTES) return undefined;
  return {
    encoding,
    spans: bytes.readUInt32LE(1),
    upTo: bytes.readDoubleLE(5),
    spansBefore: bytes.readDoubleLE(13),
    bytesBefore: bytes.readDoubleLE(21),
    body: bytes.subarray(HEADER_BYTES),
  };
}
