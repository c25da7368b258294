import { type FileHandle, stat } from 'node:fs/promises';

/**
 * Whether a path leads to the file that is open. Since it is open, no other file has its number. What cannot be looked at
 * for another reason than that it is gone counts as there.
 */
export async function isSameFile(path: string, file: FileHandle): Promise<boolean> {
  try {
    const [there, { dev, ino }] = await Promise.all([stat(path), file.stat()]);
    return there.ino === ino && there.dev === dev;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
