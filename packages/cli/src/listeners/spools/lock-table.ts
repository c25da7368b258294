import { readFileSync, type Stats } from 'node:fs';

/** Whether some process holds a lock on a file, as far as the system tells. */
export type LockTest = (stats: Stats) => boolean;

/**
 * Reads the kernel's table of locks, since Node.js cannot ask for one. `undefined` where there is no such table: then only
 * the number of the process tells. A lock on another file with the same number counts as one on this: it only delays.
 */
export function readLockTable(path = '/proc/locks'): LockTest | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    const inodes = new Set(
      [...text.matchAll(/FLOCK .*? [0-9a-f]+:[0-9a-f]+:(\d+) /g)].map(([, inode]) => Number(inode)),
    );
    return ({ ino }) => inodes.has(ino);
  } catch {
    return undefined;
  }
}
