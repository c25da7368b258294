import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { InputReport } from '../input/input-report.js';
import { collectRows } from './collect-rows.js';
import { renderTraces } from './render.js';

const FOLDER = fileURLToPath(new URL('../../../../conformance/recordings/', import.meta.url));
const RECORDINGS = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ndjson'),
);

const rowsOf = async (name: string, capture: 'none' | 'full' = 'none') =>
  (await collectRows([FOLDER + name], new InputReport(), { capture })).rows;
const shown = async (name: string) => renderTraces(await rowsOf(`0.22.2/${name}.ndjson`));
const treeOf = async (name: string) => {
  const lines = (await shown(name)).split('\n');
  return `\n${lines.slice(lines.indexOf(lines.find((line) => line.startsWith('span ')) ?? '') + 1, lines.indexOf('', 8)).join('\n')}\n`;
};

describe('trees of real recordings', () => {
  it('shows a turn: who, when, at what cost, where the time went', async () => {
    expect(`\n${await shown('c-parallel-tools')}`).toBe(`
#1 hermes completed in 2.74s  2026-11-29T21:35:11.423Z
   cli · mock-large · session 20261129_213504_9e9391
   trace 0276a8faff7674aed3d83060c05f26ae
   2 requests · 3 tools · tokens 3389 in (896 cached), 30 out
   time: model 1.30s 47% · tools 1.20s 44% · agent 246ms 9%

span                          result                               start    took
invoke_agent hermes           completed                               +0   2.74s
├─ chat mock-large            1541 in, 19 out                    +40.7ms   1.16s
├─ execute_tool read_file     ok                                  +1.34s   415ms
├─ execute_tool search_files  ok                                  +1.35s   1.19s
├─ execute_tool read_file     ok                                  +1.35s   400ms
└─ chat mock-large            1848 in, 11 out · 896 cached        +2.56s   136ms

1 trace · 6 spans · 0 errors · 0 blocked · 0 incomplete
`);
  });

  it('shows failed attempts below their request, and a fallback as another one', async () => {
    expect(await treeOf('h-provider-fallback')).toBe(`
invoke_agent hermes  completed                                        +0   5.67s
├─ chat mock-broken  ERROR InternalServerError 503 · 2 attempts  +55.4ms   5.05s
│     attempt 1 failed: InternalServerError 503 (overloaded)     +55.4ms   1.84s
│     attempt 2 failed: InternalServerError 503 (overloaded)      +5.02s  87.9ms
└─ chat mock-backup  1537 in, 7 out · 768 cached                  +5.42s   163ms
`);
  });

  it('shows who blocked a call', async () => {
    expect(await treeOf('d-tool-blocked-by-plugin')).toContain('execute_tool terminal  blocked by a plugin ');
  });

  it('shows approvals, their answers, and requests the agent made for itself', async () => {
    expect(await treeOf('p7-smart-approval-escalated-tui')).toBe(`
invoke_agent hermes            completed                              +0   4.60s
├─ chat mock-large             1946 in, 9 out                    +85.8ms   1.58s
├─ execute_tool terminal       ok                                 +1.72s   2.57s
│  ├─ approval terminal        escalated by a model …             +2.36s   303ms
│  └─ approval terminal        once by a person …                 +2.67s   1.07s
├─ chat mock-large (approval)  353 in, 2 out · 128 cached         +2.37s  26.1ms
└─ chat mock-large             2046 in, 7 out · 960 cached        +4.35s   175ms
`);
  });

  it('shows parallel subagents, what each one came to, and the one that failed', async () => {
    expect(await treeOf('l-delegate-batch-one-fails-sync')).toBe(`
invoke_agent hermes             completed                             +0   3.74s
├─ chat mock-large              1538 in, 55 out                  +24.9ms   1.05s
├─ execute_tool delegate_task   ok                                +1.11s   2.52s
│  ├─ invoke_agent leaf         completed · 2691 in, 13 out …     +1.29s   1.47s
│  │  ├─ chat mock-large        1307 in, 7 out · 640 cached       +1.47s  26.8ms
│  │  ├─ execute_tool terminal  ok                                +1.51s   1.15s
│  │  └─ chat mock-large        1384 in, 6 out · 640 cached       +2.68s  56.3ms
│  ├─ invoke_agent leaf         ERROR failed · 1 request …        +1.33s   2.29s
│  │  └─ chat mock-large        ERROR BadRequestError 400         +1.47s  29.8ms
│  └─ invoke_agent leaf         completed · 1313 in, 3 out …      +1.36s   2.25s
│     └─ chat mock-large        1313 in, 3 out · 640 cached       +1.46s   2.13s
└─ chat mock-large              2243 in, 9 out · 1088 cached      +3.65s  85.1ms
`);
  });

  it.each([
    ['j-sigint-during-api-call-oneshot', /hermes interrupted in .*\n[\s\S]*chat mock-large +incomplete \(turn_ended\)/],
    ['j3-sigterm-during-tool-oneshot', /execute_tool terminal +cancelled /],
    ['u-sigkill-mid-turn', /hermes incomplete \(shutdown\) in [\s\S]*execute_tool terminal +incomplete \(shutdown\)/],
    ['p2-approval-deny-tui', /approval terminal +deny by a person · recursive delete/],
    ['p10-approval-timeout-cli', /time: .*person 5\.02s[\s\S]*approval terminal +timeout/],
    ['p6-clarify-human-input-tui', /human_input clarify +submitted/],
    ['p7b-smart-approval-approved-tui', /approval terminal +smart_approve by a model/],
    ['z12-subagent-timeout', /invoke_agent leaf +ERROR timeout/],
    ['q-two-turns-then-close-and-new', /#2 hermes .*\n.*\n.* · after #1\n/],
    ['s-background-review-tui', /#2 .*\n {3}background · [\s\S]*?belongs to #1\n/],
    ['m-background-delegation-one-child-tui', /went on until \+2\.22s/],
    ['z7-moa-preset', /chat mock-large \(moa_aggregator\)/],
    ['i5-no-usage', /chat mock-large +tokens not reported/],
  ])('tells how %s went', async (name, expected) => {
    expect(await shown(name)).toMatch(expected);
  });

  it.each(RECORDINGS)('shows each span of %s once, within any width, without content or raw controls', async (name) => {
    const rows = await rowsOf(name, 'full');
    for (const width of [20, 40, 80, 200]) {
      const text = renderTraces(rows, { width });
      expect(text).not.toMatch(/[^\P{Cc}\n]/u);
      for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }
    const text = renderTraces(rows, { width: 200 });
    for (const { name: span } of rows) expect(text).toContain(span);
    expect(text).toMatch(new RegExp(`· ${rows.length} spans? ·`));
    expect(text).not.toMatch(/\[\[|notes\.txt/);
  });

  it('shows excerpts of content when asked to', async () => {
    const rows = await rowsOf('0.22.2/n-delegate-nested-sync.ndjson', 'full');
    const text = renderTraces(rows, { content: true });
    expect(text).toContain('\n│  asked: [[delegate-nested]] Use an orchestrator.\n');
    expect(text).toContain('goal: [[child-ok]] Count the lines of notes.txt.');
    expect(text).toContain('arguments: {"command":"wc -l notes.txt"}');
    expect(text).toContain('answer: → terminal');
  });

  it('has bars in wide terminals, and colours when asked to', async () => {
    const rows = await rowsOf('0.22.2/d-tool-blocked-by-plugin.ndjson');
    expect(renderTraces(rows, { width: 100 })).toContain(' 1.20s  ━━━━━━━━━━━━━━━━━━\n');
    expect(renderTraces(rows, { colour: true })).toContain('\x1b[33mblocked by a plugin\x1b[39m');
  });

  it('gives the same text again', async () => {
    const name = '0.22.2/y5-gateway-stop-with-running-child.ndjson';
    expect(renderTraces(await rowsOf(name))).toBe(renderTraces(await rowsOf(name)));
  });
});
