import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { makeFolder } from '../config/make-folder.js';

const TOKEN_BYTES = 32;
const TOKEN = /^[\x21-\x7e]{16,512}$/;

/**
 * The token in the first line of a file, which is made, of mode 0600, if it does not exist.
 * @throws ObserverError `HO_LISTEN_FAILED` for a file that cannot be read or made, or holds no token.
 */
export function tokenOfFile(path: string): string {
  const token = read(path) ?? make(path);
  if (TOKEN.test(token)) return token;
  throw new ObserverError(
    'HO_LISTEN_FAILED',
    `the first line of ${path} is no token of 16 visible characters or more: delete the file, and a new one is made`,
  );
}

function read(path: string): string | undefined {
  try {
    const line = readFileSync(path, 'utf8').split(/\r?\n/, 1)[0] ?? '';
    chmodSync(path, 0o600);
    return line.trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ObserverError('HO_LISTEN_FAILED', `the token file ${path} cannot be read`, { cause });
  }
}

function make(path: string): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  try {
    makeFolder(dirname(path));
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch (cause) {
    // Another service made it at the same moment.
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return read(path) ?? '';
    throw new ObserverError('HO_LISTEN_FAILED', `the token file ${path} cannot be written`, { cause });
  }
}
