import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file that is written under another name, and gets its own when it is complete. */
export interface PendingFile {
  /** `PATH.<pid>.tmp`, in the folder of `to`. */
  readonly from: string;
  readonly to: string;
  /** Permissions, those of the file that is replaced. */
  readonly mode: number;
}

const NEW_FILE_MODE = 0o666;

/**
 * Where a file is written until it is complete. `undefined` where it has to be written in place: a pipe, a device, a
 * socket, or a file in a folder that takes no new one. A link stays one: the file it leads to is replaced.
 * @throws what the file system says of a file that may not be written.
 */
export function pendingFile(path: string): PendingFile | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) return undefined;
  if (stats !== undefined) accessSync(path, constants.W_OK);
  // What several names lead to would be one file no more.
  if (stats !== undefined && stats.nlink > 1) return undefined;
  try {
    const to = stats === undefined ? path : realpathSync(path);
    accessSync(dirname(to), constants.W_OK);
    return { from: `${to}.${process.pid}.tmp`, to, mode: stats === undefined ? NEW_FILE_MODE : stats.mode & 0o777 };
  } catch {
    return undefined;
  }
}
