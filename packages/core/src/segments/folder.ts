import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** A file that was made is found after a power loss only once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folder, and keeps names without being asked.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder that only its user may look into. One that is there already stays as it is. */
export async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  // Each that was made is a name in the one above.
  for (let path = resolve(folder); path.length >= made.length; path = dirname(path)) await syncFolder(dirname(path));
}
