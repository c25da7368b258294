import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { inputFiles } from './input-files.js';

const top = mkdtempSync(join(tmpdir(), 'input-files-'));
afterAll(() => rmSync(top, { recursive: true }));

function folderOf(name: string, ...files: string[]): string {
  const folder = join(top, name);
  mkdirSync(join(folder, 'inner.ndjson'), { recursive: true });
  for (const file of files) writeFileSync(join(folder, file), '');
  return folder;
}

it('takes the recordings and OTLP files of a folder, by name, and what is named as it is', async () => {
  const folder = folderOf('mixed', 'b.ndjson', 'a.jsonl', 'notes.txt');
  const file = join(folder, 'b.ndjson');
  expect(await inputFiles([file, folder, '-', join(top, 'none')])).toEqual([
    file,
    join(folder, 'a.jsonl'),
    join(folder, 'b.ndjson'),
    '-',
    join(top, 'none'),
  ]);
});

it('leaves the folder of a service, and one with nothing to show', async () => {
  const service = folderOf('service', 'spans.jsonl', '0000000000000001.seg');
  const empty = folderOf('empty');
  expect(await inputFiles([service, empty])).toEqual([service, empty]);
});
