import { readFileSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { configError } from '../hooks/config-error.js';

/** Where something stands: keys of maps, positions in lists. */
export type Place = readonly PropertyKey[];

const MOST_BYTES = 1024 * 1024;

const ALIAS_HINT = " A glob that begins with a star needs quotes: '*_file'.";

/** A YAML file, its value, and where each part of it stands. */
export class PolicyDocument {
  /** Absolute. */
  readonly file: string;
  readonly value: unknown;
  /** What makes the file itself unsafe. */
  readonly warnings: readonly string[];
  readonly #lines = new LineCounter();
  readonly #contents: unknown;
  /** Those that say where they are of. */
  readonly #placed = new WeakSet<Error>();

  /** @throws ObserverError `HO_POLICY_CONFIG` for a file that cannot be read, or is no YAML. */
  constructor(path: string) {
    this.file = resolve(path);
    const { text, stats } = read(this.file);
    const document = parseDocument(text, { lineCounter: this.#lines, uniqueKeys: true, merge: false });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) {
      const [problem = ''] = fault.message.split(/ at line \d+|\n/);
      const { line = 1, col = 1 } = fault.linePos?.[0] ?? {};
      const hint = /alias/i.test(problem) ? ALIAS_HINT : '';
      throw configError(`${this.file}:${line}:${col}: ${problem}.${hint}`);
    }
    this.#contents = document.contents;
    this.#checkAliases(document);
    try {
      this.value = document.toJS({ maxAliasCount: 100 });
    } catch (cause) {
      throw configError(`${this.file}: ${cause instanceof Error ? cause.message : String(cause)}.`, cause);
    }
    this.warnings = unsafe(this.file, stats);
  }

  #checkAliases(document: Document): void {
    visit(document, {
      Alias: (_, alias) => {
        if (alias.resolve(document) !== undefined) return;
        const { line, col } = this.#lines.linePos(startOf(alias) ?? 0);
        const text = `there is no anchor \`&${alias.source}\` for the alias \`*${alias.source}\`.${ALIAS_HINT}`;
        throw configError(`${this.file}:${line}:${col}: ${text}`);
      },
    });
  }

  get folder(): string {
    return dirname(this.file);
  }

  /** Name of the file without its ending. */
  get stem(): string {
    return basename(this.file).replace(/\.[^.]+$/, '');
  }

  /** `file:line:column: text`. `isKey`: of the last step's key, not of its value. */
  fault(place: Place, text: string, isKey = false): ObserverError {
    const error = configError(`${this.#at(place, isKey)}: ${text}`);
    this.#placed.add(error);
    return error;
  }

  /** The same for what a part says that the place is about; other errors as they are. */
  faultOf(place: Place, error: unknown): unknown {
    const isOurs = ObserverError.isInstance(error) && error.code === 'HO_POLICY_CONFIG';
    if (!isOurs || this.#placed.has(error)) return error;
    return configError(`${this.#at(place, false)}: ${error.message}`, error);
  }

  #at(place: Place, isKey: boolean): string {
    const { line, col } = this.#lines.linePos(this.#offset(place, isKey));
    return `${this.file}:${line}:${col}`;
  }

  /** Of the deepest part of the place that is there. */
  #offset(place: Place, isKey: boolean): number {
    let node = this.#contents;
    let offset = startOf(node) ?? 0;
    for (const [i, step] of place.entries()) {
      if (isAlias(node)) return offset;
      if (isSeq(node)) node = node.items[Number(step)];
      else if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
        if (pair === undefined) return offset;
        offset = startOf(pair.key) ?? offset;
        if (isKey && i === place.length - 1) return offset;
        node = pair.value;
      } else return offset;
      offset = startOf(node) ?? offset;
    }
    return offset;
  }
}

const startOf = (node: unknown): number | undefined => (node as Node | null | undefined)?.range?.[0];

function read(file: string): { text: string; stats: Stats } {
  let stats: Stats;
  let text: string;
  try {
    stats = statSync(file);
    text = stats.size > MOST_BYTES ? '' : readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw configError(`${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : String(code)}.`, cause);
  }
  if (stats.size > MOST_BYTES) throw configError(`${file} is larger than 1 MiB, which no policy is.`);
  return { text, stats };
}

const OTHERS_MAY_WRITE = 0o022;

/** Who may write to it decides what agents may do. */
function unsafe(file: string, { mode, uid }: Stats): string[] {
  const own = process.getuid?.();
  if (own === undefined) return [];
  const warnings: string[] = [];
  if ((mode & OTHERS_MAY_WRITE) !== 0) warnings.push(`${file} can be changed by others: chmod go-w ${file}`);
  if (uid !== own && uid !== 0) warnings.push(`${file} belongs to another user (${uid}), who can change it`);
  const folder = dirname(file);
  try {
    const { mode: bits, uid: owner } = statSync(folder);
    const isSticky = (bits & 0o1000) !== 0;
    if (((bits & OTHERS_MAY_WRITE) !== 0 && !isSticky) || (owner !== own && owner !== 0)) {
      warnings.push(`${folder} can be changed by others, and so can ${basename(file)} be replaced`);
    }
  } catch {
    // The file in it could be read.
  }
  return warnings;
}

/** Whether others than its user may read a file. */
export function isReadableByOthers(file: string): boolean {
  return process.getuid !== undefined && (statSync(file).mode & 0o044) !== 0;
}
