import { createReadStream } from 'node:fs';
import { open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { LineSplitter } from '@hermes-observer/core';
import type { Journal } from '../journal/journal.js';
import type { TraceTracks } from '../tracing/trace-tracks.js';

const NAME = /^held-\d+\.ndjson$/;
const WRITE_BYTES = 256 * 1024;

/** A record that lies before what is read of the journal. */
export interface HeldRecord {
  readonly position: number;
  readonly line: string;
}

/**
 * Records of traces that have been open for long, taken out of the journal so that it need not be kept and read for them:
 * a file of lines, each a position, a blank and the record.
 */
export class HeldRecords {
  readonly folder: string;
  /** Name of the file; `undefined` without any record. */
  readonly file: string | undefined;
  /** All needed records before this position are here. */
  readonly upTo: number;
  readonly bytes: number;
  /** Of each record, in order: position and serial of its trace. */
  readonly positions: readonly number[];
  readonly serials: readonly number[];

  constructor(
    folder: string,
    upTo: number,
    file?: string,
    bytes = 0,
    positions: readonly number[] = [],
    serials: readonly number[] = [],
  ) {
    this.folder = folder;
    this.upTo = upTo;
    this.file = file;
    this.bytes = bytes;
    this.positions = positions;
    this.serials = serials;
  }

  /** Positions of records whose traces are needed, as first and count in turn. */
  needed(tracks: TraceTracks): number[] {
    const ranges: number[] = [];
    for (let i = 0; i < this.positions.length; i++) {
      if (!tracks.isTracked(this.serials[i] as number)) continue;
      const position = this.positions[i] as number;
      const at = ranges.length - 2;
      if (at >= 0 && (ranges[at] as number) + (ranges[at + 1] as number) === position) (ranges[at + 1] as number)++;
      else ranges.push(position, 1);
    }
    return ranges;
  }

  /** These and further ones, up to a position, without those of traces that are over: a new file, synced. */
  async extended(journal: Journal, tracks: TraceTracks, to: number): Promise<HeldRecords> {
    // Not that of the file which is read.
    const file = this.file === `held-${to}.ndjson` ? `held-0${to}.ndjson` : `held-${to}.ndjson`;
    const writer = await HeldWriter.create(join(this.folder, file));
    try {
      let i = 0;
      for await (const { position, line } of this.read()) {
        const serial = this.serials[i++] ?? 0;
        if (tracks.isTracked(serial)) await writer.write(position, serial, Buffer.from(line));
      }
      for await (const { position, line } of journal.range(this.upTo, to)) {
        if (tracks.isNeeded(position)) await writer.write(position, tracks.serialAt(position), line);
      }
      await writer.end();
    } catch (error) {
      await writer.abandon();
      throw error;
    }
    return new HeldRecords(this.folder, to, file, writer.bytes, writer.positions, writer.serials);
  }

  async *read(): AsyncGenerator<HeldRecord, void, void> {
    if (this.file === undefined) return;
    let lines: string[] = [];
    const splitter = new LineSplitter({ onLine: (text) => lines.push(text), onTooLong: () => {} }, 128 * 1024 * 1024);
    try {
      for await (const chunk of createReadStream(join(this.folder, this.file))) {
        splitter.push(chunk as Buffer);
        const ready = lines;
        lines = [];
        for (const line of ready) yield heldOf(line);
      }
    } catch (error) {
      // Deleted by somebody: these traces cannot be gone on with after a crash, and nothing else is harmed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return;
    }
    splitter.end();
    for (const line of lines) yield heldOf(line);
  }

  /** Deletes files that no checkpoint names any more. */
  async sweep(kept: readonly (string | undefined)[]): Promise<void> {
    for (const name of await readdir(this.folder)) {
      if (NAME.test(name) && !kept.includes(name)) await unlink(join(this.folder, name)).catch(() => undefined);
    }
  }
}

function heldOf(line: string): HeldRecord {
  const at = line.indexOf(' ');
  return { position: Number(line.slice(0, at)), line: line.slice(at + 1) };
}

/** Writes records to a new file of them. */
class HeldWriter {
  readonly positions: number[] = [];
  readonly serials: number[] = [];
  bytes = 0;
  readonly #path: string;
  readonly #file: Awaited<ReturnType<typeof open>>;
  #parts: Uint8Array[] = [];
  #waiting = 0;

  private constructor(path: string, file: Awaited<ReturnType<typeof open>>) {
    this.#path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<HeldWriter> {
    return new HeldWriter(path, await open(path, 'w', 0o600));
  }

  async write(position: number, serial: number, line: Uint8Array): Promise<void> {
    const head = Buffer.from(`${position} `);
    this.#parts.push(head, line, NEWLINE);
    const bytes = head.length + line.length + 1;
    this.#waiting += bytes;
    this.bytes += bytes;
    this.positions.push(position);
    this.serials.push(serial);
    if (this.#waiting >= WRITE_BYTES) await this.#flush();
  }

  async end(): Promise<void> {
    await this.#flush();
    await this.#file.datasync();
    await this.#file.close();
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
    await unlink(this.#path).catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#waiting = 0;
    await this.#file.appendFile(bytes);
  }
}

const NEWLINE = Buffer.of(10);
