import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditKey, type ChainPoint, readAuditLine } from './audit-line.js';

const NAME = /^audit\.(\d{6,9})\.ndjson$/;
export const HEAD = 'head';

export const fileName = (number: number): string => `audit.${String(number).padStart(6, '0')}.ndjson`;

/** Numbers of the files of a folder, in order. */
export async function auditFiles(folder: string): Promise<number[]> {
  const numbers = (await readdir(folder)).flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
  return numbers.sort((a, b) => a - b);
}

/** What was found in a file, up to the first thing that is wrong. */
export interface FileReading {
  readonly entries: number;
  /** What the first entry follows, and the last one. `undefined` without entries. */
  readonly first: ChainPoint | undefined;
  readonly last: ChainPoint | undefined;
  /** Bytes of the good entries, and of all. */
  readonly goodBytes: number;
  readonly bytes: number;
  /** Whether a whole line stands behind the problem. */
  readonly isFollowed: boolean;
  readonly problem: { readonly line: number; readonly what: string } | undefined;
  /** Hash of an entry that was asked for, if it is in it. */
  readonly hashes: ReadonlyMap<number, string>;
}

/** Reads a whole file. `wanted`: the number of an entry whose hash is asked for. */
export async function readAuditFile(
  folder: string,
  number: number,
  key: AuditKey,
  wanted?: number,
): Promise<FileReading> {
  const bytes = await readFile(join(folder, fileName(number)));
  const hashes = new Map<number, string>();
  let first: ChainPoint | undefined;
  let last: ChainPoint | undefined;
  let entries = 0;
  let at = 0;
  const result = (what: string | undefined): FileReading => ({
    entries,
    first,
    last,
    goodBytes: at,
    bytes: bytes.length,
    isFollowed:
      what !== undefined && bytes.indexOf(0x0a, at) >= 0 && bytes.indexOf(0x0a, bytes.indexOf(0x0a, at) + 1) >= 0,
    problem: what === undefined ? undefined : { line: entries + 1, what },
    hashes,
  });
  while (at < bytes.length) {
    const end = bytes.indexOf(0x0a, at);
    if (end < 0) return result('it has no end');
    const line = readAuditLine(bytes.toString('utf8', at, end), key);
    if (typeof line === 'string') return result(line);
    if (last !== undefined && line.n !== last.n + 1) return result(`entry ${line.n} stands behind entry ${last.n}`);
    if (last !== undefined && line.prev !== last.hash)
      return result(`entry ${line.n} follows another one than stands before it`);
    first ??= { n: line.n - 1, hash: line.prev };
    last = { n: line.n, hash: line.hash };
    if (line.n === wanted) hashes.set(line.n, line.hash);
    entries++;
    at = end + 1;
  }
  return result(undefined);
}
