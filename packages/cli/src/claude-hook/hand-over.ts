import { appendFileSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from '../config/make-folder.js';

/** A service that lives takes what is written at once; one that hangs must not hold up the agent. */
const PATIENCE_MILLIS = 250;
const MOST_SPOOL_FILES = 10_000;
/** The service takes it like the files of events. */
const DROPPED_FILE = 'claude-dropped.ndjson';
/** One file of counts that grew so large is written anew, as one. */
const MOST_DROPPED_BYTES = 64 * 1024;

/**
 * Hands lines to the service, or leaves them where it finds them later. When too much waits there, they are counted
 * instead. Never throws; where nothing can be written they are lost.
 */
export async function handOver(lines: string, records: number, socketPath: string, spoolFolder: string): Promise<void> {
  if (!(await send(lines, socketPath))) leave(lines, records, spoolFolder);
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

/** One file an event, as forwarders name theirs: complete at once, so that the service may take it. Never throws. */
export function leave(lines: string, records: number, folder: string): void {
  try {
    makeFolder(folder);
    if (readdirSync(folder).length >= MOST_SPOOL_FILES) {
      countDropped(records, join(folder, DROPPED_FILE));
      return;
    }
    const name = `claude-${Date.now()}-${process.pid}-1.ndjson`;
    const path = join(folder, name);
    writeFileSync(`${path}.open`, lines, { mode: 0o600, flag: 'wx' });
    renameSync(`${path}.open`, path);
  } catch {
    // A full disk or a folder that is not ours: the agent goes on.
  }
}

/** Hooks may run at the same time: each appends a line of its own. */
function countDropped(records: number, path: string): void {
  appendFileSync(path, droppedLine(records), { mode: 0o600 });
  if (statSync(path).size < MOST_DROPPED_BYTES) return;
  const counts = readFileSync(path, 'utf8').matchAll(/"count":(\d+)/g);
  const all = [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  writeFileSync(`${path}.${process.pid}`, droppedLine(all), { mode: 0o600 });
  renameSync(`${path}.${process.pid}`, path);
}

function droppedLine(count: number): string {
  const time = `${Date.now()}000000`;
  const payload = { count, reason: 'spool_full' };
  return `${JSON.stringify({ hook: 'observer_dropped', producer: 'claude-code', time_unix_nano: time, payload })}\n`;
}
