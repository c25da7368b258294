import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from '../config/make-folder.js';

/** A service that lives takes what is written at once; one that hangs must not hold up the agent. */
const PATIENCE_MILLIS = 250;
const MOST_SPOOL_FILES = 10_000;

/** Hands lines to the service, or leaves them where it finds them later. Never throws; without a place they are lost. */
export async function handOver(lines: string, socketPath: string, spoolFolder: string): Promise<void> {
  if (!(await send(lines, socketPath))) leave(lines, spoolFolder);
}

/** True when the service has all of it in its hands. */
function send(lines: string, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (isSent: boolean) => {
      socket.destroy();
      resolve(isSent);
    };
    socket.setTimeout(PATIENCE_MILLIS, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('connect', () => socket.end(lines, () => settle(true)));
  });
}

/** One file an event, as forwarders name theirs: complete at once, so that the service may take it. */
function leave(lines: string, folder: string): void {
  try {
    makeFolder(folder);
    if (readdirSync(folder).length >= MOST_SPOOL_FILES) return;
    const name = `claude-${Date.now()}-${process.pid}-1.ndjson`;
    const path = join(folder, name);
    writeFileSync(`${path}.open`, lines, { mode: 0o600, flag: 'wx' });
    renameSync(`${path}.open`, path);
  } catch {
    // A full disk or a folder that is not ours: the agent goes on.
  }
}
