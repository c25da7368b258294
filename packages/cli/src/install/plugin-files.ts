import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ObserverError } from '@hermes-observer/core';

export const SERVICE_FILE = 'service.json';
/** What an installation wrote: relative path → SHA-256, and whether it was what enabled the plugin. */
const MANIFEST = 'installed.json';
/** Behind the name of a file of ours that somebody changed, when a newer one takes its place. */
const KEPT = '.before-hermes-observer';

interface Manifest {
  readonly files: Readonly<Record<string, string>>;
  readonly didEnable: boolean;
}

/** What is in a plugin's folder, by who put it there. Paths are relative, with `/`. */
export interface PluginFiles {
  /** As they were written, and what Python makes of them. */
  readonly ours: readonly string[];
  /** Written by an installation, and changed since. */
  readonly changed: readonly string[];
  readonly others: readonly string[];
}

const CACHE = /(?:^|\/)__pycache__\/([^/]+?)\.[^/]+\.pyc$/;

/** `undefined` for a folder that is not there. A link is nobody's but its maker's. */
export function pluginFiles(folder: string, source: string): PluginFiles | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return { ours: [], changed: [], others: ['.'] };
  const manifest = manifestIn(folder);
  // A folder without one was not written by an installation that keeps it, or lost it: what is as here is of one.
  const written = manifest?.files ?? hashes(source);
  const files: Record<'ours' | 'changed' | 'others', string[]> = { ours: [], changed: [], others: [] };
  for (const path of filesIn(folder)) {
    const [, module] = CACHE.exec(path) ?? [];
    const origin = module === undefined ? path : `${dirname(dirname(path))}/${module}.py`.replace(/^\.\//, '');
    if (path === MANIFEST || (module !== undefined && written[origin] !== undefined)) files.ours.push(path);
    else if (path === SERVICE_FILE && manifest === undefined) files.ours.push(path);
    else if (written[path] === undefined) files.others.push(path);
    else files[written[path] === hashOf(join(folder, path)) ? 'ours' : 'changed'].push(path);
  }
  return files;
}

/** Whether the plugin was enabled before it was installed here, so that this stays when it goes. */
export function wasEnabledBefore(folder: string): boolean {
  return manifestIn(folder)?.didEnable === false;
}

export interface CopyOptions {
  readonly source: string;
  /** Starts the service. */
  readonly command: readonly string[];
  /** Whether this installation enables the plugin, which an earlier one may have done. */
  readonly didEnable: boolean;
}

/** Puts the plugin into a folder; an older one is replaced, and what is of others stays. @throws ObserverError `HO_INSTALL`. */
export function copyPlugin(target: string, { source, command, didEnable }: CopyOptions): void {
  if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new ObserverError('HO_INSTALL', `${target} is a link, so somebody works on it: remove it first`);
  }
  const fresh = `${target}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(target), { recursive: true });
    cpSync(source, fresh, { recursive: true, filter: (path) => !/^__pycache__$|\.pyc$/.test(basename(path)) });
    writeFileSync(join(fresh, SERVICE_FILE), `${JSON.stringify({ command })}\n`);
    // One that did not note it is taken for one that did.
    const didBefore = existsSync(target) && !wasEnabledBefore(target);
    const manifest: Manifest = { files: hashes(fresh), didEnable: didEnable || didBefore };
    writeFileSync(join(fresh, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
    const { changed = [], others = [] } = pluginFiles(target, source) ?? {};
    for (const path of changed) carryOver(target, path, fresh, `${path}${KEPT}`);
    for (const path of others) carryOver(target, path, fresh, path);
    rmSync(target, { recursive: true, force: true });
    renameSync(fresh, target);
  } catch (cause) {
    rmSync(fresh, { recursive: true, force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ObserverError('HO_INSTALL', `the plugin cannot be put at ${target}: ${reason}`, { cause });
  }
}

function carryOver(from: string, path: string, to: string, as: string): void {
  mkdirSync(dirname(join(to, as)), { recursive: true });
  cpSync(join(from, path), join(to, as), { recursive: true, verbatimSymlinks: true });
}

/** Deletes files of ours, and folders that are empty then. @throws ObserverError `HO_INSTALL`. */
export function removeFiles(folder: string, paths: readonly string[]): void {
  try {
    for (const path of paths) rmSync(join(folder, path), { force: true });
    removeEmpty(folder);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ObserverError('HO_INSTALL', `the plugin cannot be taken from ${folder}: ${reason}`, { cause });
  }
}

function removeEmpty(folder: string): void {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

function manifestIn(folder: string): Manifest | undefined {
  try {
    const { files, didEnable } = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest;
    return typeof files === 'object' && files !== null ? { files, didEnable } : undefined;
  } catch {
    return undefined;
  }
}

function filesIn(folder: string, prefix = ''): string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(folder, `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
  );
}

const hashOf = (path: string) =>
  lstatSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';

function hashes(folder: string): Record<string, string> {
  return Object.fromEntries(
    filesIn(folder)
      .filter((path) => !CACHE.test(path))
      .map((path) => [path, hashOf(join(folder, path))]),
  );
}
