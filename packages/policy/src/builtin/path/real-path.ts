import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

const MOST_LINKS = 40;

/**
 * Where the kernel gets with an absolute path: symbolic links are followed before `..` is, and what is not there yet stands
 * below the nearest folder that is. A link that leads to nothing counts as what it leads to, since writing to it makes that.
 * Rejects where nobody can tell: too many links, a folder that may not be read.
 */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const parts = path.split('/').reverse();
  let reached = '/';
  let links = 0;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      reached = dirname(reached);
      continue;
    }
    const next = reached === '/' ? `/${part}` : `${reached}/${part}`;
    const target = await linkAt(next);
    if (target === undefined) {
      reached = next;
      continue;
    }
    if (++links > MOST_LINKS) throw new Error('too many symbolic links');
    if (target.startsWith('/')) reached = '/';
    parts.push(...target.split('/').reverse());
  }
  return reached;
}

async function linkAt(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Nothing is there, or below what is no folder. */
function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
