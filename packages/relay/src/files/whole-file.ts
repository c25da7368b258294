import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ObserverError } from '@hermes-observer/core';

/**
 * Writes a file so that whoever reads it sees the old text or the new one, never a part: under another name first. With `flush`
 * that holds after a power failure too.
 * @throws ObserverError `HO_OUTPUT_UNWRITABLE`; then what was there is as it was.
 */
export function writeWhole(folder: string, name: string, text: string, flush = false): void {
  const path = join(folder, name);
  // A name that no pattern for files of the format takes.
  const pending = join(dirname(path), `.${name}.${process.pid}.tmp`);
  try {
    writeFileSync(pending, text, { mode: 0o600, flush });
    renameSync(pending, path);
  } catch (cause) {
    try {
      rmSync(pending, { force: true });
    } catch {
      // Nor can that be done where the folder is none.
    }
    throw unwritable(path, cause);
  }
}

export function unwritable(path: string, cause: unknown): ObserverError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const text = `Cannot write to ${path}: ${reason}. Check the path, its permissions and the free space.`;
  return new ObserverError('HO_OUTPUT_UNWRITABLE', text, { cause });
}

/** Resolves when what was written to these paths outlives a power failure; what is gone meanwhile is passed over. */
export async function syncAll(paths: Iterable<string>): Promise<void> {
  for (const path of paths) {
    const file = await open(path, 'r').catch(() => undefined);
    if (file === undefined) continue;
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
