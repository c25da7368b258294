import { X509Certificate } from 'node:crypto';
import { accessSync, constants, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import type { ExporterSettings } from './exporter.js';
import type { Config } from './load-config.js';
import { MOST_SOCKET_PATH_BYTES } from './places.js';

/** Larger than the certificates of all authorities together. */
const MOST_PEM_BYTES = 4 * 1024 * 1024;

/**
 * What is wrong with the files and folders that settings name, `HO_CONFIG_VALUE` each; nothing is made or changed. What is
 * right now may be wrong later, so whoever uses a place still says what happens there.
 */
export function placeProblems({ values, origins }: Config): ObserverError[] {
  const data = values.data as string;
  const socket = values.socket as string;
  const dataProblem = folderProblem(data);
  // A socket and a token below a folder that cannot be used are no further fault.
  const isBelow = dataProblem !== undefined && origins.socket === 'default';
  const hasToken = values['http.enabled'] && values.token === undefined && dataProblem === undefined;
  const problems: (readonly [string, string | undefined])[] = [
    [`${origins.data}: data`, dataProblem],
    [`${origins.socket}: socket`, isBelow ? undefined : (folderProblem(dirname(socket)) ?? socketProblem(socket))],
    [`${origins.data}: token file`, hasToken ? readProblem(join(data, 'token'), true) : undefined],
    ...(values.exporters ?? []).flatMap(
      ({ name, file, folder, ca_file: caFile, cert_file: certFile, key_file: keyFile }) => [
        [
          `${origins.exporters}: file of exporter ${name}`,
          file === undefined ? undefined : outputProblem(file),
        ] as const,
        [
          `${origins.exporters}: folder of exporter ${name}`,
          folder === undefined ? undefined : folderProblem(folder),
        ] as const,
        [
          `${origins.exporters}: ca_file of exporter ${name}`,
          caFile === undefined ? undefined : pemProblem(caFile),
        ] as const,
        [
          `${origins.exporters}: cert_file of exporter ${name}`,
          certFile === undefined ? undefined : pemProblem(certFile),
        ] as const,
        [
          `${origins.exporters}: key_file of exporter ${name}`,
          keyFile === undefined ? undefined : readProblem(keyFile, false),
        ] as const,
      ],
    ),
    ...sharedPlaces(values.exporters ?? []).map(
      ([name, problem]) => [`${origins.exporters}: exporter ${name}`, problem] as const,
    ),
  ];
  return problems.flatMap(([what, problem]) =>
    problem === undefined ? [] : [new ObserverError('HO_CONFIG_VALUE', `${what} ${problem}`)],
  );
}

/** Exporters that write where another one does: each takes what the other one wrote for its own, and away. */
function sharedPlaces(exporters: readonly ExporterSettings[]): [name: string, problem: string][] {
  const taken = new Map<string, string>();
  return exporters.flatMap(({ name, file, folder }): [string, string][] => {
    const path = file ?? folder;
    if (path === undefined) return [];
    const place = realPlace(path);
    const other = taken.get(place);
    taken.set(place, other ?? name);
    return other === undefined ? [] : [[name, `cannot write to ${path}: exporter ${other} does; give it another one`]];
  });
}

/** The same for all spellings of a path, and links to it. */
function realPlace(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    return dirname(full) === full ? full : join(realPlace(dirname(full)), basename(full));
  }
}

/** @throws ObserverError the first of them. */
export function checkPlaces(config: Config): void {
  const [problem] = placeProblems(config);
  if (problem !== undefined) throw problem;
}

/** A folder that is there, or can be made. */
function folderProblem(path: string): string | undefined {
  const stats = statsOf(path);
  if (typeof stats === 'string') return `cannot be used: ${path}: ${stats}`;
  if (stats === undefined) return dirname(path) === path ? `cannot be made: ${path}` : folderProblem(dirname(path));
  if (!stats.isDirectory()) return `cannot be used: ${path} is no folder`;
  return accessProblem(path, constants.W_OK | constants.X_OK, 'may not be written to');
}

function socketProblem(path: string): string | undefined {
  const bytes = Buffer.byteLength(path);
  if (bytes > MOST_SOCKET_PATH_BYTES) {
    return `has a path of ${bytes} bytes, of which the system takes ${MOST_SOCKET_PATH_BYTES}: set socket to a shorter one than ${path}`;
  }
  const stats = statsOf(path);
  return typeof stats === 'object' && !stats.isSocket()
    ? `cannot be made: ${path} is there already and is no socket`
    : undefined;
}

/** A file that is appended to. Its folder has to be there: one that is made by mistake would not be looked into. */
function outputProblem(path: string): string | undefined {
  const stats = statsOf(path);
  if (typeof stats === 'string') return `cannot be used: ${path}: ${stats}`;
  if (stats !== undefined) {
    if (!stats.isFile()) return `cannot be used: ${path} is no regular file`;
    return accessProblem(path, constants.R_OK | constants.W_OK, 'may not be read and written');
  }
  return statsOf(dirname(path)) === undefined
    ? `cannot be made: there is no folder ${dirname(path)}`
    : folderProblem(dirname(path));
}

function readProblem(path: string, mayBeAbsent: boolean): string | undefined {
  const stats = statsOf(path);
  if (typeof stats === 'string') return `cannot be read: ${path}: ${stats}`;
  if (stats === undefined) return mayBeAbsent ? undefined : `cannot be read: there is no ${path}`;
  if (!stats.isFile()) return `cannot be read: ${path} is no regular file`;
  return accessProblem(path, constants.R_OK, 'may not be read');
}

const BLOCK = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** Certificates, one or more; one that cannot be used would be passed over in silence. */
function pemProblem(path: string): string | undefined {
  const problem = readProblem(path, false);
  if (problem !== undefined) return problem;
  if (statSync(path).size > MOST_PEM_BYTES) return `is larger than 4 MiB: ${path}`;
  const text = readFileSync(path, 'latin1');
  const blocks = text.match(BLOCK) ?? [];
  if (blocks.length === 0 || text.split('-----BEGIN CERTIFICATE-----').length - 1 > blocks.length) {
    const what = blocks.length === 0 ? 'has no certificate in it' : 'has a certificate that does not end';
    return `${what}: ${path}; it must be PEM, '-----BEGIN CERTIFICATE-----' and so on`;
  }
  const broken = blocks.findIndex((block) => !isCertificate(block));
  return broken < 0 ? undefined : `has a broken certificate: number ${broken + 1} in ${path}`;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

/** `undefined` when there is nothing; a text when that cannot be told. */
function statsOf(path: string): Stats | string | undefined {
  try {
    return statSync(path);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    return code === 'ENOTDIR' ? 'a part of the path is no folder' : code;
  }
}

function accessProblem(path: string, mode: number, what: string): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return `cannot be used: ${path} ${what} (${(error as NodeJS.ErrnoException).code})`;
  }
}
