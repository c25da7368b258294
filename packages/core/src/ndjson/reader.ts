import type { HookRecord } from '../contract/record.js';
import { type NdjsonOptions, NdjsonParser } from './parser.js';

/** What can be read: a Node stream, a web stream, or anything that yields bytes (or text) in pieces. */
export type NdjsonSource = AsyncIterable<Uint8Array | string> | NodeJS.ReadableStream;

/**
 * Reads records from NDJSON bytes, in order. Yields the records of each chunk together, never an empty list: one wait a
 * chunk instead of one a record. Stopping early closes the source.
 *
 * ```ts
 * for await (const records of readRecords(createReadStream(path), { onMalformed })) {
 *   for (const record of records) …
 * }
 * ```
 *
 * Errors: what the source throws, unchanged. Malformed lines are no errors: see `NdjsonOptions.onMalformed`.
 */
export async function* readRecords(
  source: NdjsonSource,
  options?: NdjsonOptions,
): AsyncGenerator<HookRecord[], void, undefined> {
  const parser = new NdjsonParser(options);
  for await (const chunk of source) {
    const records = parser.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    if (records.length > 0) yield records;
  }
  const records = parser.end();
  if (records.length > 0) yield records;
}
