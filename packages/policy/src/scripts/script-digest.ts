import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Files that are hashed are remembered, so that a call costs one `stat` for each. */
const MOST_REMEMBERED = 1000;
const remembered = new Map<string, { readonly identity: string; readonly digest: string }>();

/** SHA-256 in hex of a file's bytes. `undefined`: there is no such file. */
export async function fileDigest(path: string): Promise<string | undefined> {
  const identity = await identityOf(path);
  if (identity === undefined) return undefined;
  const before = remembered.get(path);
  if (before?.identity === identity) return before.digest;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const digest = hash.digest('hex');
  // Written to meanwhile, or so lately that a further write would not show: hashed again next time.
  const [after, settled] = [await identityOf(path), await isSettled(path)];
  if (after === identity && settled) {
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(path, { identity, digest });
  }
  return digest;
}

/** A time of change cannot be set, unlike that of the last write. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const file = await stat(path, { bigint: true });
    return file.isFile() ? [file.dev, file.ino, file.size, file.mtimeNs, file.ctimeNs].join(':') : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Clocks of disks tick slowly. */
const SETTLED_MS = 2000;

async function isSettled(path: string): Promise<boolean> {
  return Date.now() - (await stat(path)).ctimeMs > SETTLED_MS;
}

/** What runs for a hook: words as they stand, and files that they name. */
export interface PinnedCommand {
  readonly argv: readonly string[];
  readonly shell: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * SHA-256 in hex of a command: of its words, and of the bytes of each file among them. Programs that are found by `PATH`,
 * such as interpreters, and what a script loads in turn, are not in it.
 */
export async function commandDigest(command: PinnedCommand): Promise<string> {
  const hash = createHash('sha256');
  const text = (part: string) => hash.update(`${Buffer.byteLength(part)}:${part}`);
  text(command.shell ? 'shell' : 'argv');
  for (const word of command.argv) text(word);
  for (const path of filesIn(command)) {
    const digest = await fileDigest(path);
    if (digest !== undefined) text(`${path} ${digest}`);
  }
  return hash.digest('hex');
}

function filesIn({ argv, shell, cwd, env }: PinnedCommand): string[] {
  // Of a line for a shell, words are good guesses. `$NAME` is what the environment says.
  const expand = (word: string) => word.replace(/\$\{?(\w+)\}?/g, (_, name: string) => env[name] ?? '');
  const words = shell
    ? (argv[0] ?? '')
        // What a line writes to decides nothing, unless it is named once more.
        .replace(/[\d&]?>[>|]?[ \t]*[^\s;|&()<>`]+/g, ' ')
        .split(/[\s;|&()<>`]+/)
        .map((word) => expand(word.replace(/["'\\]/g, '')))
    : argv;
  const home = env.HOME ?? '';
  return words
    .filter((word, i) => word !== '' && (word.includes('/') || i > 0))
    .map((word) => resolve(cwd, shell && word.startsWith('~/') ? home + word.slice(1) : word));
}
