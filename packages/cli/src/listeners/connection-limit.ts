import { readFileSync } from 'node:fs';

/** Node.js itself, the journal, the checkpoint, a token, spools of forwarders. */
const OWN_FILES = 36;
/** Segments that are written and read, and the connection to the backend. */
const FILES_OF_AN_EXPORTER = 4;
const LEAST = 4;

/**
 * Connections that the socket and HTTP may each have: those wished for, or fewer where the system lets a process open so few
 * files that none would be left for the journal.
 */
export function connectionLimit(wished: number, exporters: number, files = openFilesLimit()): number {
  const free = files - OWN_FILES - FILES_OF_AN_EXPORTER * exporters;
  return Math.max(LEAST, Math.min(wished, Math.floor(free / 2)));
}

/** Infinite where it is not known. */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
