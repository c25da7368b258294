import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { Console } from './console.js';
import { DEMO_RECORDINGS, type DemoOptions, demo, demoPath, showsPage } from './demo.js';
import { view } from './view.js';

const folder = mkdtempSync(join(tmpdir(), 'demo-'));
afterAll(() => rmSync(folder, { recursive: true }));

class Said extends Console {
  readonly lines: string[] = [];

  constructor() {
    super(false);
  }

  override error(line: string): void {
    this.lines.push(line);
  }

  override note(line: string): void {
    this.lines.push(line);
  }
}

async function printed(run: (out: NodeJS.WriteStream) => Promise<number>) {
  const out = new PassThrough();
  const [exitCode, shown] = await Promise.all([
    run(out as unknown as NodeJS.WriteStream).finally(() => out.end()),
    text(out),
  ]);
  return { exitCode, shown };
}

const runDemo = (options: DemoOptions, said = new Said()) =>
  printed((out) => demo(options, said, out, 'hermes-observer'));

describe('demo', () => {
  it('shows each bundled recording and where to go next', async () => {
    const { exitCode, shown } = await runDemo({ width: 80 });
    expect(exitCode).toBe(0);
    for (const { shows } of DEMO_RECORDINGS) expect(shown).toContain(`» ${shows}\n\n#1 hermes completed in `);
    for (const part of [
      'attempt 1 failed: RateLimitError',
      'blocked by a plugin',
      'approval terminal',
      'ERROR failed',
    ]) {
      expect(shown).toContain(part);
    }
    expect(shown).toContain('\n  hermes-observer demo --web\n');
    expect(shown).toMatch(/\n {2}hermes-observer replay FILE --endpoint URL\n.*\n$/);
    expect(shown).not.toMatch(/incomplete|asked:/);
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBe(80);
  });

  it.each([
    [{}, true, {}, true],
    [{}, false, {}, false],
    [{}, true, { CI: 'true' }, false],
    [{ web: true }, false, { CI: 'true' }, true],
    [{ web: false }, true, {}, false],
    [{ otlpFile: 'x' }, true, {}, false],
    [{ web: true, endpoint: 'http://x' }, true, {}, true],
  ])('shows the page with %j, on a terminal: %j, in %j: %j', (options, isTerminal, env, expected) => {
    expect(showsPage(options, isTerminal, env)).toBe(expected);
  });

  it('names the agent, and shows content when it is asked to', async () => {
    expect((await runDemo({ capture: 'full' })).shown).not.toContain('asked: ');
    const { shown } = await runDemo({ agentName: 'helper', content: true });
    expect(shown).toContain('invoke_agent helper');
    expect(shown).toContain('asked: ');
  });

  it('writes the spans of all of them when asked to', async () => {
    const otlpFile = join(folder, 'demo.jsonl');
    const said = new Said();
    expect((await runDemo({ otlpFile }, said)).exitCode).toBe(0);
    expect(said.lines.at(-1)).toMatch(/^\d+ records, \d+ spans$/);
    const all = DEMO_RECORDINGS.map(({ file }) => demoPath(file));
    const { shown } = await printed((out) => view([otlpFile], {}, said, out));
    expect(shown).toBe((await printed((out) => view(all, {}, said, out))).shown);
    expect(shown).toContain(`\n${DEMO_RECORDINGS.length} traces · `);
  });
});
