import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file that was made is found after a power loss only once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder that only its user may look into. One that is there already stays as it is. */
export async function makePrivateFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(dirname(made));
}
