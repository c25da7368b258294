import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObserverError } from '@hermes-observer/core';
import { readSegments } from '@hermes-observer/core/segments';
import type { InputReport } from './input-report.js';

const SEGMENT = /^\d{16}\.seg$/;
const NEWLINE = Buffer.of(10);
/** Of the places that a service keeps its journal at, below what a person may name. */
const PLACES = ['service/journal', 'journal', '.'];

/** The folder of the journal of a service's data folder, or of the service's part of it; `undefined` if it has none. */
export async function journalOf(folder: string): Promise<string | undefined> {
  for (const place of PLACES) {
    const path = join(folder, place);
    const names = await readdir(path).catch(() => []);
    if (names.some((name) => SEGMENT.test(name))) return path;
  }
  return undefined;
}

/**
 * The records of a journal as lines. It is read without its lock, so the service may run. Records that are lost are told
 * to `report`, by their number in the journal.
 */
export async function* journalLines(
  folder: string,
  path: string,
  report: InputReport,
): AsyncGenerator<Uint8Array, void, undefined> {
  const told = ({ position, error }: { readonly position: number; readonly error: ObserverError }) =>
    report.malformed(path, { line: position + 1, error });
  for await (const batch of readSegments(folder, told)) {
    yield Buffer.concat(batch.flatMap(({ payload }) => [payload, NEWLINE]));
  }
}
