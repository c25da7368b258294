import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { runNode, TOP } from '../../run-command.js';
import { spansOf, totalsOf } from './otlp-spans.js';

const COMMAND = 'packages/cli/bin/hermes-observer.js';
const folder = mkdtempSync(join(tmpdir(), 'cost-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** USD per million tokens of the scripted models, as a table of one's own has them. */
const PRICES = `
- { model: 'mock-*', input: 2, output: 8, cache_read: 0.5 }
- { model: 'claude-mock-*', input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 }
`;
const prices = join(folder, 'prices.yaml');
writeFileSync(prices, PRICES);

/**
 * Of each request the fresh input (the input without what a cache had), what was read from a cache and written to one, and the
 * output; reasoning is in the output. In millionths of a dollar:
 *
 * | recording, request | fresh | read | written | output | input costs | output costs | sum |
 * | --- | --- | --- | --- | --- | --- | --- | --- |
 * | a2, OpenAI chat, 12 of the output reasoning | 211 | 1344 | | 19 | 211×2 + 1344×0.5 = 422 + 672 = 1094 | 19×8 = 152 | 1246 |
 * | c, OpenAI chat | 1541 | | | 19 | 1541×2 = 3082 | 19×8 = 152 | 3234 |
 * | c | 952 | 896 | | 11 | 952×2 + 896×0.5 = 1904 + 448 = 2352 | 11×8 = 88 | 2440 |
 * | r, OpenAI chat, 12 reasoning | 1537 | | | 16 | 1537×2 = 3074 | 16×8 = 128 | 3202 |
 * | r, auxiliary: a title | 143 | 128 | | 3 | 143×2 + 128×0.5 = 286 + 64 = 350 | 3×8 = 24 | 374 |
 * | h, a request that failed | | | | | unknown | | |
 * | h, OpenAI chat, another model | 769 | 768 | | 7 | 769×2 + 768×0.5 = 1538 + 384 = 1922 | 7×8 = 56 | 1978 |
 * | z5, Anthropic, cache written | 2648 | | 5297 | 20 | 2648×3 + 5297×3.75 = 7944 + 19863.75 = 27807.75 | 20×15 = 300 | 28107.75 |
 * | z5, Anthropic, cache read | 2671 | 5342 | | 20 | 2671×3 + 5342×0.3 = 8013 + 1602.6 = 9615.6 | 300 | 9915.6 |
 * | z5 | 2698 | 5396 | | 20 | 2698×3 + 5396×0.3 = 8094 + 1618.8 = 9712.8 | 300 | 10012.8 |
 * | z6, OpenAI Responses | 10742 | | | 30 | 10742×2 = 21484 | 30×8 = 240 | 21724 |
 * | z6 | 5422 | 5422 | | 30 | 5422×2 + 5422×0.5 = 10844 + 2711 = 13555 | 240 | 13795 |
 * | z6, 12 reasoning | 5471 | 5471 | | 30 | 5471×2 + 5471×0.5 = 10942 + 2735.5 = 13677.5 | 240 | 13917.5 |
 * | sum | 34805 | 24767 | 5297 | 225 | 107726.65 | 2220 | 109946.65 |
 *
 * The input is 34805 + 24767 + 5297 = 64869.
 */
const SHEET = {
  input: 64_869,
  cacheRead: 24_767,
  cacheWrite: 5_297,
  output: 225,
  reasoning: 36,
  usd: 109_946.65,
  inputUsd: 107_726.65,
  outputUsd: 2_220,
  statuses: { exact: 12, unknown: 1 },
};
const RECORDINGS = [
  'a2-cached-and-reasoning-usage',
  'c-parallel-tools',
  'r-title-generation',
  'h-provider-fallback',
  'z5-anthropic-messages',
  'z6-codex-responses',
].map((name) => `conformance/recordings/0.22.2/${name}.ndjson`);

describe('tokens and costs of recordings', () => {
  it('of a replay are those of the sheet', async () => {
    const out = join(folder, 'replay.jsonl');
    const { code, stderr } = await runNode([COMMAND, 'replay', ...RECORDINGS, '--prices', prices, '--otlp-file', out]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(totalsOf(spansOf(out))).toEqual(SHEET);
  });

  it('of the service are those of the sheet, in the file it writes and in the rows of the viewer', async () => {
    const out = join(folder, 'serve.jsonl');
    const config = join(folder, 'config.yaml');
    const list = PRICES.trim().replaceAll(/^/gm, '    ');
    writeFileSync(config, `cost:\n  prices:\n${list}\nexporters: [{ name: out, file: ${out} }]\n`);
    const args = [COMMAND, 'serve', '--config', config, '--data', join(folder, 'data'), '--port', '0'];
    const env = { ...process.env, HERMES_OBSERVER_TOKEN: 'a-token-of-this-test', XDG_RUNTIME_DIR: folder };
    const serve = spawn(process.execPath, args, { cwd: TOP, env, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let said = '';
      for await (const text of serve.stdout.setEncoding('utf8')) {
        said += text;
        if (/http:\/\/127\.0\.0\.1:\d+/.test(said)) break;
      }
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      for (const path of RECORDINGS) {
        const response = await fetch(`${address}/v1/records`, {
          method: 'POST',
          headers: { authorization: 'Bearer a-token-of-this-test', 'content-type': 'application/x-ndjson' },
          body: readFileSync(join(TOP, path)),
        });
        expect(response.ok).toBe(true);
      }
      const headers = { authorization: 'Bearer a-token-of-this-test' };
      await vi.waitFor(
        async () => {
          const turns = (await (await fetch(`${address}/api/turns`, { headers })).json()) as {
            rows: { cost: { usd: number | null; unknown: number } | null }[];
          };
          const costs = turns.rows.map(({ cost }) => cost);
          const usd = costs.reduce((sum, cost) => sum + (cost?.usd ?? 0), 0);
          expect(Math.round(usd * 1e12) / 1e6).toBe(SHEET.usd);
          expect(costs.reduce((sum, cost) => sum + (cost?.unknown ?? 0), 0)).toBe(SHEET.statuses.unknown);
        },
        { timeout: 20_000, interval: 100 },
      );
    } finally {
      const ended = once(serve, 'exit');
      serve.kill('SIGTERM');
      await ended;
    }
    // What nobody ended is open in the journal, and no request.
    expect(totalsOf(spansOf(out).filter(({ name }) => name.startsWith('chat ')))).toEqual(SHEET);
  });

  it('are 0 and unknown without prices for these models', async () => {
    const out = join(folder, 'unknown.jsonl');
    await runNode([COMMAND, 'replay', ...RECORDINGS, '--cost', '--otlp-file', out]);
    expect(totalsOf(spansOf(out))).toEqual({ ...SHEET, usd: 0, inputUsd: 0, outputUsd: 0, statuses: { unknown: 13 } });
  });
});

it('no span but those of requests carries usage or cost, in any recording', async () => {
  const out = join(folder, 'all.jsonl');
  const top = join(TOP, 'conformance/recordings');
  const all = (readdirSync(top, { recursive: true }) as string[])
    .filter((path) => path.endsWith('.ndjson'))
    .map((path) => join(top, path));
  expect(all.length).toBe(90);
  const { code } = await runNode([
    COMMAND,
    'replay',
    ...all,
    '--prices',
    prices,
    '--capture',
    'full',
    '--otlp-file',
    out,
  ]);
  expect(code).toBe(0);
  const spans = spansOf(out);
  const counted = spans.filter(({ attributes }) =>
    Object.keys(attributes).some((name) => name.startsWith('gen_ai.usage.') || name.startsWith('hermes.cost.')),
  );
  expect([...new Set(counted.map(({ attributes }) => attributes['gen_ai.operation.name']))]).toEqual(['chat']);
  expect(counted.length).toBeGreaterThan(400);
  expect(spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat')).toHaveLength(counted.length);
});
