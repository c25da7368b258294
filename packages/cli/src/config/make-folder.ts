import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder of mode 0700, and those above it. Throws what the system says. By steps of its own, since Node's
 * recursive one never returns on file systems that answer ENOENT whatever there is, such as `/proc`.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}
