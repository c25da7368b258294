import { readFileSync } from 'node:fs';
import { ObserverError } from '@hermes-observer/core';
import { isMap, isScalar, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { nearestName } from './nearest-name.js';

/** A value of the file, and where it stands. */
export interface FileValue {
  readonly value: unknown;
  readonly line: number;
}

const MOST_BYTES = 1024 * 1024;

/**
 * Reads one YAML file as values by dotted key. `undefined` when it does not exist and need not.
 * @throws ObserverError `HO_CONFIG_FILE` for a file that cannot be read or is no YAML, `HO_CONFIG_KEY` for a key that is
 * not among `known`.
 */
export function readConfigFile(
  path: string,
  known: readonly string[],
  mustExist: boolean,
): ReadonlyMap<string, FileValue> | undefined {
  const text = textOf(path, mustExist);
  if (text === undefined) return undefined;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const lineOf = (node: unknown) => lines.linePos((node as Node | undefined)?.range?.[0] ?? 0).line;
  const [error] = document.errors;
  if (error !== undefined) {
    const [problem = ''] = error.message.split(/ at line \d+|\n/);
    throw new ObserverError('HO_CONFIG_FILE', `${path}:${error.linePos?.[0].line ?? 1}: ${problem}`);
  }
  const values = new Map<string, FileValue>();
  const walk = (map: { readonly items: readonly Pair[] }, prefix: string): void => {
    for (const { key: keyNode, value } of map.items) {
      const key = prefix + String(isScalar(keyNode) ? keyNode.value : keyNode);
      if (known.includes(key))
        values.set(key, { value: (value as Node | null)?.toJS(document), line: lineOf(keyNode) });
      else if (isMap(value) && known.some((name) => name.startsWith(`${key}.`))) walk(value as never, `${key}.`);
      else throw unknownKey(path, lineOf(keyNode), key, known);
    }
  };
  if (isMap(document.contents)) walk(document.contents as never, '');
  else if (document.contents !== null && !isEmptyScalar(document.contents)) {
    throw new ObserverError('HO_CONFIG_FILE', `${path}:${lineOf(document.contents)}: must be a map of settings`);
  }
  return values;
}

const isEmptyScalar = (node: unknown) => isScalar(node) && node.value === null;

function textOf(path: string, mustExist: boolean): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MOST_BYTES) return bytes.toString('utf8');
  } catch (cause) {
    if (!mustExist && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const reason = cause instanceof Error ? cause.message.split(',')[0] : String(cause);
    throw new ObserverError('HO_CONFIG_FILE', `${path} cannot be read: ${reason}`, { cause });
  }
  throw new ObserverError('HO_CONFIG_FILE', `${path} is larger than 1 MiB, which no configuration is`);
}

function unknownKey(path: string, line: number, key: string, known: readonly string[]): ObserverError {
  const groups = new Set(
    known.flatMap((name) => name.split('.').map((_, i, parts) => parts.slice(0, i + 1).join('.'))),
  );
  const nearest = nearestName(key, [...groups]);
  const hint = nearest === undefined ? 'see docs/serve.md for all settings' : `did you mean ${nearest}?`;
  const within = known.filter((name) => name.startsWith(`${key}.`));
  const text = groups.has(key)
    ? `${key} must be a map; give its settings: ${within.join(', ')}`
    : `unknown setting ${key}; ${hint}`;
  return new ObserverError('HO_CONFIG_KEY', `${path}:${line}: ${text}`);
}
