import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { InputReport } from '../input/input-report.js';
import { eventually } from '../listeners/memory-service.test-support.js';
import { Console } from './console.js';
import { DEMO_RECORDINGS, demoPath } from './demo.js';
import { browserCommand, openBrowser } from './open-browser.js';
import { Replay } from './replay.js';
import { ended } from './until-ended.js';
import { openPage, storeOf, webView } from './web-view.js';

const folder = mkdtempSync(join(tmpdir(), 'web-view-'));
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

const DEMO = DEMO_RECORDINGS.map(({ file }) => demoPath(file));

describe('files in the browser', () => {
  it('are the same as recordings and as OTLP/JSON', async () => {
    const otlpFile = join(folder, 'demo.jsonl');
    await (await Replay.prepare(DEMO, { otlpFile })).run(new Said());
    const stores = [
      await storeOf(DEMO, { capture: 'none' }, new InputReport()),
      await storeOf([otlpFile], {}, new InputReport()),
    ];
    const [fromRecords, fromSpans] = stores.map((store) =>
      store
        .all()
        .map(({ id, spans, tally }) => [id, spans.length, tally.tools, tally.blocked.size])
        .sort(),
    );
    expect(fromSpans).toEqual(fromRecords);
    expect(fromRecords).toHaveLength(DEMO.length);
    const ofFolder = await storeOf([dirname(DEMO[0] as string)], {}, new InputReport());
    expect(ofFolder.traces).toBe(DEMO.length);
  });

  it('are shown to who has the token, and nothing is taken or deleted', async () => {
    const page = await openPage(await storeOf(DEMO, {}, new InputReport()));
    try {
      const { origin, searchParams } = new URL(page.address);
      const headers = { authorization: `Bearer ${searchParams.get('token')}`, 'content-type': 'application/x-ndjson' };
      const list = (await (await fetch(`${origin}/api/turns`, { headers })).json()) as {
        total: number;
        rows: { session: string }[];
      };
      expect(list.total).toBe(DEMO.length);
      expect((await fetch(`${origin}/api/turns`)).status).toBe(401);
      const body = '{"hook":"pre_llm_call","time_unix_nano":"1","payload":{}}\n';
      expect((await fetch(`${origin}/v1/records`, { method: 'POST', headers, body })).status).toBe(403);
      expect((await fetch(`${origin}/v1/traces`, { method: 'POST', headers, body: '{}' })).status).toBe(404);
      const session = encodeURIComponent(list.rows[0]?.session ?? '');
      expect((await fetch(`${origin}/api/sessions/${session}`, { method: 'DELETE', headers })).status).toBe(405);
    } finally {
      page.close();
    }
  });

  it('end with a signal; without a browser the address is printed', async () => {
    const out = new PassThrough();
    let shown = '';
    out.on('data', (chunk) => {
      shown += chunk;
    });
    const exit = webView(DEMO, {}, new Said(), out as unknown as NodeJS.WriteStream, async () => false);
    await eventually(() => shown.includes('Ctrl-C'));
    expect(shown).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\n/);
    process.emit('SIGINT');
    expect(await exit).toBe(0);
    await expect(fetch(new URL('/healthz', shown.split(/\s/)[1] as string))).rejects.toThrow();
    const said = new Said();
    expect(await webView([join(folder, 'none.ndjson')], {}, said, out as unknown as NodeJS.WriteStream)).toBe(1);
    expect(said.lines.at(-1)).toBe('there are no spans to show');
  });
});

it('ends with q on a terminal, which is as it was then', async () => {
  const modes: boolean[] = [];
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => modes.push(on) });
  let isOver = false;
  const over = ended(keys as unknown as NodeJS.ReadStream).then(() => {
    isOver = true;
  });
  keys.write('x');
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  keys.write('q');
  await over;
  expect(modes).toEqual([true, false]);
  expect(keys.listenerCount('data')).toBe(0);
});

describe('a browser', () => {
  it('is there with a display, and not over ssh or in CI', async () => {
    expect(browserCommand('linux', { DISPLAY: ':0' })).toEqual(['xdg-open']);
    expect(browserCommand('linux', {})).toBeUndefined();
    expect(browserCommand('darwin', {})).toEqual(['open']);
    expect(browserCommand('darwin', { SSH_CONNECTION: 'x' })).toBeUndefined();
    expect(browserCommand('linux', { DISPLAY: ':0', CI: 'true' })).toBeUndefined();
    expect(await openBrowser('http://127.0.0.1:1/', ['/nowhere/at-all'])).toBe(false);
  });
});
