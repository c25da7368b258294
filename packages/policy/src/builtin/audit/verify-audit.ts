import { join } from 'node:path';
import { auditFiles, fileName, HEAD, readAuditFile } from './audit-files.js';
import { AuditHead } from './audit-head.js';
import { type AuditKey, auditError, type ChainPoint, checkKey, START } from './audit-line.js';

export interface VerifyAuditOptions {
  /** As of `AuditLog`. */
  readonly key?: AuditKey;
  /** @default `head` in the folder */
  readonly head?: string | undefined;
}

export interface AuditProblem {
  /** A path, or the head's. */
  readonly file: string;
  /** From 1. 0: the file as a whole. */
  readonly line: number;
  readonly what: string;
}

export interface AuditVerification {
  readonly ok: boolean;
  readonly files: number;
  /** Good ones. */
  readonly entries: number;
  /** Number and hash of the last good entry. Written down elsewhere, it shows later that nothing before it was changed. */
  readonly last: ChainPoint;
  /** Bytes of an entry at the end that was not finished: by a crash, or not yet. It never counted. */
  readonly unfinished: number;
  readonly problems: readonly AuditProblem[];
}

/**
 * Reads a whole audit log and finds entries that were changed, are missing, were added or swapped, at its end too.
 *
 * Without a key it shows what was changed by mistake, or by who does not know how the log is made: whoever may write to the
 * folder and to the head can make all of it anew. With a key they cannot; but they can put back an older state of both, head
 * included, unless the head is where they cannot write.
 * @throws ObserverError `HO_POLICY_AUDIT` where it cannot be read.
 */
export async function verifyAudit(folder: string, options: VerifyAuditOptions = {}): Promise<AuditVerification> {
  const key = checkKey(options.key);
  const headPath = options.head ?? join(folder, HEAD);
  const problems: AuditProblem[] = [];
  let entries = 0;
  let last = START;
  let files = 0;
  let unfinished = 0;
  let headHash: string | undefined;
  try {
    const head = await headOf(headPath, key, problems);
    let expected = 1;
    const numbers = await auditFiles(folder);
    for (const number of numbers) {
      const file = join(folder, fileName(number));
      const report = (line: number, what: string) => problems.push({ file, line, what });
      if (number !== expected) report(0, `the file before it, number ${expected}, is missing`);
      const reading = await readAuditFile(folder, number, key, head?.n);
      if (reading.first !== undefined && (reading.first.n !== last.n || reading.first.hash !== last.hash)) {
        report(1, `it does not go on where entry ${last.n} ends: it goes on from entry ${reading.first.n}`);
      }
      entries += reading.entries;
      last = reading.last ?? last;
      if (reading.problem !== undefined) {
        const counts = number !== numbers.at(-1) || head === undefined || last.n < head.n || reading.isFollowed;
        if (counts) report(reading.problem.line, reading.problem.what);
        else unfinished = reading.bytes - reading.goodBytes;
      }
      headHash = reading.hashes.get(head?.n ?? -1) ?? headHash;
      expected = number + 1;
      files++;
    }
    if (head !== undefined && head.n > 0 && headHash !== head.hash) {
      const what =
        head.n > last.n
          ? `entries ${last.n + 1} to ${head.n} are missing: it was cut`
          : `entry ${head.n} is another one than was written`;
      problems.push({ file: headPath, line: 0, what });
    }
  } catch (cause) {
    throw auditError(`Cannot read the audit log in ${folder}: ${(cause as Error).message}`, cause);
  }
  return { ok: problems.length === 0, files, entries, last, unfinished, problems };
}

async function headOf(path: string, key: AuditKey, problems: AuditProblem[]): Promise<ChainPoint | undefined> {
  try {
    const opened = await AuditHead.open(path, key);
    await opened?.head.close();
    if (opened === undefined)
      problems.push({ file: path, line: 0, what: 'it is gone: nobody can tell whether the log was cut' });
    return opened?.point;
  } catch (error) {
    problems.push({ file: path, line: 0, what: (error as Error).message });
    return undefined;
  }
}
