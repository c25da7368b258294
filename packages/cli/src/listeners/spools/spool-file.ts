import { createReadStream } from 'node:fs';
import type { ObserverError } from '@hermes-observer/core';
import { LineReader } from '../line-reader.js';
import type { ListenerContext } from '../listener-context.js';

const CHUNK_BYTES = 256 * 1024;

export interface SpoolFileRead {
  /** How far it was read. */
  readonly bytes: number;
  readonly records: number;
}

/** Hands the records of one file over, in order. What the disk or the intake throws comes out; then none of it is lost. */
export async function takeSpoolFile(path: string, { ports, limits }: ListenerContext): Promise<SpoolFileRead> {
  let bytes = 0;
  let records = 0;
  const refuse = (code: string) => ports.refusals.refused(1, code);
  const reader = new LineReader(
    { onProblem: (_, { code }: ObserverError) => refuse(code), onOperation: () => refuse('HO_REQUEST') },
    limits.lineBytes,
  );
  const hand = async () => {
    const batch = reader.take();
    if (batch.records.length === 0) return;
    records += batch.records.length;
    await ports.intake.take(batch);
  };
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    bytes += (chunk as Buffer).length;
    reader.push(chunk as Buffer);
    await hand();
  }
  reader.end();
  await hand();
  return { bytes, records };
}
