import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseRecord } from '@hermes-observer/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Service } from '../service/service.js';
import { Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { replay } from './replay.js';
import { view } from './view.js';

const RECORDING = fileURLToPath(
  new URL('../../../../conformance/recordings/0.22.2/n-delegate-nested-sync.ndjson', import.meta.url),
);
const LINES = readFileSync(RECORDING, 'utf8').trim().split('\n');
let folder: string;
let data: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  data = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true }));

class Said extends Console {
  readonly lines: string[] = [];

  constructor() {
    super(false);
  }

  override error(text: string): void {
    this.lines.push(text);
  }

  override note(text: string): void {
    this.lines.push(text);
  }
}

async function seen(path: string, console = new Said()): Promise<{ text: string; code: number }> {
  const chunks: Buffer[] = [];
  const out = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const code = await view([path], { width: 100 }, console, out as unknown as NodeJS.WriteStream);
  return { text: Buffer.concat(chunks).toString(), code };
}

async function served(): Promise<Service> {
  const service = await Service.open({ dataFolder: data, capture: 'full', syncMillis: 5, onWarning: () => {} });
  const records = LINES.flatMap((line) => parseRecord(line).record ?? []);
  await service.take({ lines: LINES.map((line) => Buffer.from(line)), records });
  return service;
}

const journal = () => join(data, 'service', 'journal');
const segments = () => readdirSync(journal()).filter((name) => name.endsWith('.seg'));
const contents = () => segments().map((name) => readFileSync(join(journal(), name)).toString('base64'));

describe('the journal of a service', () => {
  it('is shown and replayed as its records were, also while the service runs and after it', async () => {
    const service = await served();
    const before = contents();
    const expected = await seen(RECORDING);
    for (const path of [data, join(data, 'service'), journal()]) expect(await seen(path)).toEqual(expected);
    const spans = async (input: string, name: string) => {
      const otlpFile = join(folder, name);
      expect(await replay([input], { otlpFile }, new Said())).toBe(EXIT_OK);
      return readFileSync(otlpFile, 'utf8');
    };
    const whole = await spans(RECORDING, 'recording.jsonl');
    expect(await spans(data, 'running.jsonl')).toBe(whole);
    expect(contents()).toEqual(before);
    const locks = readdirSync(journal()).filter((name) => name.startsWith('lock'));
    expect(locks).toHaveLength(1);
    await service.stop();
    expect(await spans(data, 'stopped.jsonl')).toBe(whole);
  });

  it('that is damaged is read but for what is lost, which is said with its number', async () => {
    await (await served()).stop();
    const path = join(journal(), segments()[0] ?? '');
    const bytes = readFileSync(path);
    bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const console = new Said();
    const { code } = await seen(data, console);
    expect(code).toBe(EXIT_INCOMPLETE);
    expect(console.lines[0]).toMatch(
      /^.*data:\d+: .*\.seg is damaged at byte \d+: .*record \d+ is lost.*\[HO_STORE_DAMAGED\]$/,
    );
  });

  it('is no other folder', async () => {
    const console = new Said();
    expect((await seen(folder, console)).code).toBe(EXIT_INCOMPLETE);
    expect(console.lines[0]).toContain('this is a folder without a journal');
  });
});
