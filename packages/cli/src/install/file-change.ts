import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { createTwoFilesPatch } from 'diff';

const BACKUP = '.before-hermes-observer';

/** A file as it is and as it would be. `undefined`: there is none. */
export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** @throws ObserverError `HO_INSTALL` for a file that is there and cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ObserverError('HO_INSTALL', `${path} cannot be read`, { cause });
  }
}

/** The change as a unified diff; empty when there is none. */
export function diffText({ path, before, after }: FileChange): string {
  if (before === after) return '';
  const patch = createTwoFilesPatch(path, path, before ?? '', after ?? '', '', '', { context: 2 });
  // Without the heading that older tools want.
  return patch.slice(patch.indexOf('--- '));
}

/** Makes the change, and keeps the file as it was beside it. @throws ObserverError `HO_INSTALL`. */
export function applyChange({ path, before, after }: FileChange): void {
  try {
    if (after === undefined) {
      rmSync(path, { force: true });
      return;
    }
    mkdirSync(dirname(path), { recursive: true });
    // A link stays one.
    const target = existsSync(path) ? realpathSync(path) : path;
    const mode = before === undefined ? 0o600 : statSync(target).mode & 0o777;
    // One that is there is of an installation before this one, and from before all of ours.
    if (before !== undefined && !existsSync(backupOf(path))) writeFileSync(backupOf(path), before, { mode });
    const temporary = `${target}.${process.pid}.tmp`;
    writeFileSync(temporary, after, { mode });
    chmodSync(temporary, mode);
    renameSync(temporary, target);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ObserverError('HO_INSTALL', `${path} cannot be changed: ${reason}`, { cause });
  }
}

const backupOf = (path: string) => `${path}${BACKUP}`;

/**
 * How to undo an installation. `without` takes out of a text what was put in; it gets the text of before too, `undefined`
 * where there was none. A file that was not there, and has nothing of its own in it, goes.
 */
export function undoChange(path: string, without: (text: string, before: string | undefined) => string): FileChange {
  const before = readText(path);
  if (before === undefined) return { path, before, after: before };
  const backup = readText(backupOf(path));
  const rest = without(before, backup);
  return { path, before, after: backup === undefined && rest.trim() === '' && rest !== before ? undefined : rest };
}

/** To be called when an installation is undone. */
export function removeBackup(path: string): void {
  rmSync(backupOf(path), { force: true });
}
