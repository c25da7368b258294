import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realPath } from './real-path.js';

export interface PathBase {
  /** Folder that relative paths are of. `undefined`: not known, and a relative path cannot be told. */
  readonly cwd: string | undefined;
  /** What `~` stands for. */
  readonly home: string | undefined;
}

/** A path that nobody can tell where it leads. The text says why and quotes nothing. */
export class UnreadablePath extends Error {}

export interface PathReadings {
  /** Where it leads: absolute, without links. A rule has to hold for all of them. */
  readonly places: ReadonlySet<string>;
  /** What it is named: absolute, with links as they are. */
  readonly names: ReadonlySet<string>;
}

/**
 * Every file that a tool may mean by a text: as it stands, with `~` and `file:` understood or not, with `..` taken away
 * before or behind symbolic links. Throws `UnreadablePath`.
 */
export async function pathReadings(text: string, base: PathBase): Promise<PathReadings> {
  const places = new Set<string>();
  const names = new Set<string>();
  for (const meant of meanings(text, base)) {
    const name = resolve(meant);
    names.add(name);
    // Two ways: the program takes `..` away itself, or leaves it to the kernel.
    for (const path of new Set([name, meant])) {
      try {
        places.add(await realPath(path));
      } catch (error) {
        throw new UnreadablePath(`cannot be resolved (${(error as NodeJS.ErrnoException).code ?? 'links'})`);
      }
    }
  }
  return { places, names };
}

function meanings(text: string, { cwd, home }: PathBase): Set<string> {
  if (text === '') throw new UnreadablePath('is empty');
  if (text.includes('\0')) throw new UnreadablePath('has a NUL character');
  if (text.length > 4096) throw new UnreadablePath('is too long');
  const found = new Set<string>();
  const add = (path: string) => {
    if (path.startsWith('/')) found.add(path);
    else if (cwd === undefined) throw new UnreadablePath('is relative to a folder that is not known');
    else found.add(`${cwd}/${path}`);
  };
  add(text);
  const trimmed = text.trim();
  if (trimmed !== text && trimmed !== '') add(trimmed);
  if (trimmed.startsWith('~')) {
    if (trimmed !== '~' && !trimmed.startsWith('~/')) throw new UnreadablePath("is in another user's home");
    if (home === undefined) throw new UnreadablePath('is in a home that is not known');
    add(home + trimmed.slice(1));
  }
  if (/^file:/i.test(trimmed)) {
    try {
      add(fileURLToPath(trimmed));
    } catch {
      throw new UnreadablePath('is a URL that names no file');
    }
  } else if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) throw new UnreadablePath('is a URL of another kind than file:');
  return found;
}
