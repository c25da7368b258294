import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { InputReport } from '../input/input-report.js';
import { readViewInput } from './view-input.js';

const folder = mkdtempSync(join(tmpdir(), 'view-input-'));
afterAll(() => rmSync(folder, { recursive: true }));

const hook = (name: string, time: number) => JSON.stringify({ hook: name, time_unix_nano: `${time}`, payload: {} });
const otlp = (name: string) =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 'a', spanId: 'b', name }] }] }] });

let files = 0;
function file(...lines: string[]): string {
  const path = join(folder, `${files++}.ndjson`);
  writeFileSync(path, lines.join('\n'));
  return path;
}

async function read(...paths: string[]) {
  const report = new InputReport();
  const { rows, records } = await readViewInput(paths, report);
  return { rows: rows.map(({ name }) => name), hooks: records.map((record) => record.hook), report };
}

describe('readViewInput', () => {
  it('tells recordings from OTLP/JSON by their first line that is JSON', async () => {
    const { rows, hooks, report } = await read(file('', 'oops', hook('a', 1)), file('', otlp('x'), otlp('y')));
    expect(rows).toEqual(['x', 'y']);
    expect(hooks).toEqual(['a']);
    expect(report.lines()[0]).toMatch(/0\.ndjson:2: not JSON/);
  });

  it('goes on after malformed lines and names them', async () => {
    const bad = '{"resourceSpans":[{"scopeSpans":1}]}';
    const { rows, report } = await read(file(otlp('x'), bad, hook('a', 1), '[', otlp('y')));
    expect(rows).toEqual(['x', 'y']);
    expect(report.malformedLines).toBe(3);
    expect(report.lines().map((line) => /ndjson:(\d+): (\w+)/.exec(line)?.slice(1))).toEqual([
      ['2', 'scopeSpans'],
      ['3', 'resourceSpans'],
      ['4', 'not'],
      undefined,
    ]);
  });

  it('merges recordings by time and keeps the order of each', async () => {
    const first = file(hook('a1', 10), hook('a2', 40), hook('a3', 30), hook('a4', 50));
    const second = file(hook('b1', 5), hook('b2', 35), hook('b3', 45));
    expect((await read(first, second)).hooks).toEqual(['b1', 'a1', 'b2', 'a2', 'a3', 'b3', 'a4']);
  });

  it('goes on after an input that cannot be read', async () => {
    const { hooks, report } = await read(
      join(folder, 'missing'),
      mkdtempSync(join(folder, 'empty-')),
      file(hook('a', 1)),
    );
    expect(hooks).toEqual(['a']);
    expect(report.unreadableInputs).toBe(2);
  });

  it('counts lines of an OTLP file that is empty or blank as nothing', async () => {
    const { report } = await read(file(''), file('', ' ', ''));
    expect(report.isClean).toBe(true);
  });
});
