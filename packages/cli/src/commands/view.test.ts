import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Console } from './console.js';
import { parseWidth } from './options.js';
import { createProgram } from './program.js';
import { replay } from './replay.js';
import { view } from './view.js';

const RECORDING = fileURLToPath(
  new URL('../../../../conformance/recordings/0.22.2/n-delegate-nested-sync.ndjson', import.meta.url),
);
const folder = mkdtempSync(join(tmpdir(), 'view-'));
afterAll(() => rmSync(folder, { recursive: true }));

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

/** What is written, on no terminal. */
function capture() {
  const chunks: Buffer[] = [];
  const out = new Writable({
    highWaterMark: 64,
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      setImmediate(done);
    },
  });
  return { out: out as unknown as NodeJS.WriteStream, text: () => Buffer.concat(chunks).toString() };
}

describe('view', () => {
  it('shows a recording and the OTLP file made of it alike', async () => {
    const otlp = join(folder, 'spans.jsonl');
    expect(await replay([RECORDING], { otlpFile: otlp }, new Said())).toBe(0);
    const [recording, file] = [capture(), capture()];
    expect(await view([RECORDING], {}, new Said(), recording.out)).toBe(0);
    expect(await view([otlp], {}, new Said(), file.out)).toBe(0);
    expect(recording.text()).toContain('invoke_agent orchestrator');
    expect(file.text()).toBe(recording.text());
    expect(recording.text()).not.toContain('\x1b');
  });

  it('masks what content shows of a recording, and shows none unasked', async () => {
    const [without, withContent] = [capture(), capture()];
    await view([RECORDING], { capture: 'full' }, new Said(), without.out);
    await view([RECORDING], { content: true }, new Said(), withContent.out);
    expect(without.text()).not.toContain('asked:');
    expect(withContent.text()).toContain('asked: ');
  });

  it('names the agent and fits the width', async () => {
    const { out, text } = capture();
    await view([RECORDING], { agentName: 'helper', width: 40 }, new Said(), out);
    expect(text()).toContain('invoke_agent helper');
    expect(
      Math.max(
        ...text()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBe(40);
  });

  it('gives 1 for malformed lines and unreadable inputs, with their places, and shows the rest', async () => {
    const bad = join(folder, 'bad.ndjson');
    writeFileSync(bad, '{}\nnot json\n');
    const said = new Said();
    const { out, text } = capture();
    expect(await view([bad, RECORDING, join(folder, 'none')], {}, said, out)).toBe(1);
    expect(text()).toContain('1 trace · 12 spans');
    expect(said.lines.join('\n')).toMatch(
      /bad\.ndjson:1: hook must be[\s\S]*bad\.ndjson:2: not JSON[\s\S]*none: no such file/,
    );
  });

  it.each(['0', '19', '80.5', 'wide', ''])('refuses a width of %j', (width) => {
    expect(() => parseWidth(width)).toThrow('Give a whole number of columns, 20 or more.');
    const program = createProgram(
      () => {},
      () => {},
    );
    return expect(program.parseAsync(['view', 'x', '--width', width], { from: 'user' })).rejects.toThrow('--width');
  });
});
