import { lstatSync, statSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { makeFolder } from '../../config/make-folder.js';
import { MOST_SOCKET_PATH_BYTES } from '../../config/places.js';

const ANSWER_MILLIS = 1_000;

/**
 * Makes the place for a socket: a folder that only this user can enter, with no socket in it. One that nobody listens on
 * any more is removed.
 * @throws ObserverError `HO_LISTEN_FAILED`, `HO_SERVICE_RUNNING`.
 */
export async function prepareSocketPlace(path: string): Promise<void> {
  const bytes = Buffer.byteLength(path);
  if (bytes > MOST_SOCKET_PATH_BYTES) {
    throw new ObserverError(
      'HO_LISTEN_FAILED',
      `the path of the socket has ${bytes} bytes, of which the system takes ${MOST_SOCKET_PATH_BYTES}: set socket to a shorter one than ${path}`,
    );
  }
  makePrivateFolder(dirname(path));
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) {
    throw new ObserverError('HO_LISTEN_FAILED', `${path} is there already and is no socket: move it, or set socket`);
  }
  if (await doesAnswer(path)) {
    throw new ObserverError('HO_SERVICE_RUNNING', `a service listens on ${path} already`);
  }
  unlinkSync(path);
}

/**
 * Makes a folder of mode 0700. One that exists is left as it is, if only this user may write to it.
 * @throws ObserverError `HO_LISTEN_FAILED`.
 */
export function makePrivateFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ObserverError('HO_LISTEN_FAILED', `the folder ${folder} cannot be made: ${reason}`, { cause });
  }
  if (process.platform === 'win32') return;
  const { uid, mode } = statSync(folder);
  const own = process.getuid?.() ?? uid;
  if (own !== 0 && uid !== own) {
    throw new ObserverError('HO_LISTEN_FAILED', `${folder} belongs to another user: use another folder`);
  }
  if ((mode & 0o022) !== 0) {
    throw new ObserverError(
      'HO_LISTEN_FAILED',
      `others may write to ${folder}: use a folder of your own, of mode 0700`,
    );
  }
}

/** Whether a process listens. One that is too busy to answer in a second does. */
function doesAnswer(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.setTimeout(ANSWER_MILLIS, () => settle(true));
    socket.once('connect', () => settle(true));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => settle(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
}
