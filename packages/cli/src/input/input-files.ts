import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { journalOf } from './journal-input.js';

const RECORDED = /\.(ndjson|jsonl)$/i;

/**
 * What to read for what a person names: for a folder its recordings and OTLP/JSON files (`*.ndjson`, `*.jsonl`), by name, without
 * those of folders in it. The data folder of a service stays as it is: its journal is read. So does a folder with none of these,
 * and what cannot be looked at; reading says why.
 */
export async function inputFiles(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) files.push(...((await filesIn(path)) ?? [path]));
  return files;
}

async function filesIn(path: string): Promise<string[] | undefined> {
  if (path === '-') return undefined;
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => !entry.isDirectory() && RECORDED.test(entry.name)).map(({ name }) => name);
  if (names.length === 0 || (await journalOf(path)) !== undefined) return undefined;
  return names.sort().map((name) => join(path, name));
}
