import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../files/whole-file.js';
import { sessionFile } from './file-name.js';
import { sessionDocumentOf, turnsOf, withTurn } from './session-document.js';
import type { Trajectory } from './trajectory.js';

/** A file is begun anew when the one before has become larger. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Sessions of which it is remembered which file is the last. */
const MOST_SESSIONS = 10_000;

/** Where the turns of a session are. */
interface Place {
  last: number;
  readonly parts: Map<string, number>;
}

/**
 * Turns of a session in one document, which is written anew with each of them. What is in the file is all the state there is: a
 * session goes on after a restart, and a turn that comes again takes its own place.
 */
export class SessionFiles {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #places = new Map<string, Place>();

  constructor(folder: string, maxBytes = MOST_BYTES) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** @throws ObserverError `HO_OUTPUT_UNWRITABLE`. */
  write(turn: Trajectory): void {
    const session = turn.session_id ?? 'none';
    const place = this.#placeOf(session);
    const known = place.parts.get(turn.trajectory_id);
    const document = this.#read(session, known ?? place.last);
    const isFull = known === undefined && document !== undefined && sizeOf(document) > this.#maxBytes;
    if (isFull) {
      const next = place.last + 1;
      // The new one first: who follows the reference finds it.
      this.#save(session, next, withTurn(undefined, turn));
      this.#save(session, place.last, { ...document, continued_trajectory_ref: sessionFile(session, next) });
      place.last = next;
    } else this.#save(session, known ?? place.last, withTurn(document, turn));
    place.parts.set(turn.trajectory_id, known ?? place.last);
  }

  #save(session: string, part: number, document: Trajectory): void {
    writeWhole(this.#folder, sessionFile(session, part), `${JSON.stringify(document)}\n`, true);
  }

  /** What is there under its name and is none of ours is kept under another one. */
  #read(session: string, part: number): Trajectory | undefined {
    const path = join(this.#folder, sessionFile(session, part));
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
    const document = sessionDocumentOf(text);
    if (document === undefined) renameSync(path, `${path}.${Date.now()}.other`);
    return document;
  }

  #placeOf(session: string): Place {
    const known = this.#places.get(session);
    if (known !== undefined) return known;
    const place: Place = { last: 1, parts: new Map() };
    for (let part = 1; ; part++) {
      const document = this.#read(session, part);
      if (document === undefined) break;
      place.last = part;
      for (const { trajectory_id } of turnsOf(document)) place.parts.set(trajectory_id, part);
    }
    this.#places.set(session, place);
    if (this.#places.size > MOST_SESSIONS) this.#places.delete(this.#places.keys().next().value as string);
    return place;
  }
}

const sizeOf = (document: Trajectory) => Buffer.byteLength(JSON.stringify(document));
