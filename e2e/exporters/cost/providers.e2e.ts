import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runNode } from '../../run-command.js';
import { spansOf, totalsOf } from './otlp-spans.js';

const folder = mkdtempSync(join(tmpdir(), 'cost-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Request {
  readonly provider?: string;
  readonly model: string;
  readonly answered?: string;
  readonly at?: string;
  readonly usage: Readonly<Record<string, number>> | null;
}

/**
 * Requests of providers that no recording has, at the list prices of genai-prices 0.1.8, in USD per million tokens:
 *
 * | model | input | read | written | output | above 200,000 tokens of input |
 * | --- | --- | --- | --- | --- | --- |
 * | gpt-5 | 1.25 | 0.125 | | 10 | |
 * | o3 | 2 | 0.5 | | 8 | |
 * | claude-sonnet-4-5 | 3 | 0.3 | 3.75 | 15 | 6, 0.6, 7.5, 22.5 |
 * | gemini-2.5-pro | 1.25 | 0.125 | | 10 | 2.5, 0.25, 15 |
 *
 * Each with what it costs in millionths of a dollar (input, output), and whether that is certain.
 */
const REQUESTS: readonly [Request, input: number | undefined, output: number | undefined, status: string][] = [
  // OpenAI with reasoning: 5000×1.25 + 15000×0.125 = 6250 + 1875; 3000×10, 2560 of these reasoning.
  [
    {
      provider: 'openai',
      model: 'gpt-5',
      answered: 'gpt-5-2025-08-07',
      at: 'https://api.openai.com/v1',
      usage: { prompt_tokens: 20_000, cache_read_tokens: 15_000, output_tokens: 3_000, reasoning_tokens: 2_560 },
    },
    8_125,
    30_000,
    'exact',
  ],
  // Reasoning, and no sum of the input: 1000×2 + 200×0.5; 500×8.
  [
    {
      provider: 'openai',
      model: 'o3',
      usage: { input_tokens: 1_000, cache_read_tokens: 200, output_tokens: 500, reasoning_tokens: 448 },
    },
    2_100,
    4_000,
    'exact',
  ],
  // Anthropic, cache read: 20000×3 + 100000×0.3; 1200×15.
  [
    {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5-20250929',
      usage: { input_tokens: 20_000, cache_read_tokens: 100_000, prompt_tokens: 120_000, output_tokens: 1_200 },
    },
    90_000,
    18_000,
    'exact',
  ],
  // Anthropic, cache written and read: 2000×3 + 100000×0.3 + 18000×3.75 = 6000 + 30000 + 67500; 1200×15. For how long it was
  // written is not known.
  [
    {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      usage: { input_tokens: 2_000, cache_read_tokens: 100_000, cache_write_tokens: 18_000, output_tokens: 1_200 },
    },
    103_500,
    18_000,
    'estimated',
  ],
  // The same above 200,000 tokens, of which only 10 are fresh: 10×6 + 210000×0.6; 100×22.5.
  [
    {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      usage: { input_tokens: 10, cache_read_tokens: 210_000, output_tokens: 100 },
    },
    126_060,
    2_250,
    'exact',
  ],
  // Gemini: 100000×1.25 + 50000×0.125; 2000×10, thoughts included.
  [
    {
      provider: 'gemini',
      model: 'gemini-2.5-pro',
      usage: { prompt_tokens: 150_000, cache_read_tokens: 50_000, output_tokens: 2_000, reasoning_tokens: 1_500 },
    },
    131_250,
    20_000,
    'exact',
  ],
  // Gemini above 200,000: 250000×2.5; 1000×15.
  [
    { provider: 'gemini', model: 'gemini-2.5-pro', usage: { prompt_tokens: 250_000, output_tokens: 1_000 } },
    625_000,
    15_000,
    'exact',
  ],
  // Gemini's thoughts beside the output instead of in it: what the sum is, nobody can tell.
  [
    {
      provider: 'gemini',
      model: 'gemini-2.5-pro',
      usage: { prompt_tokens: 1_000, output_tokens: 100, reasoning_tokens: 900 },
    },
    undefined,
    undefined,
    'unknown',
  ],
  // Through a proxy: 1000×1.25; 100×10, if the proxy charges what the provider does.
  [
    {
      provider: 'openai',
      model: 'gpt-5',
      at: 'http://127.0.0.1:4000/v1',
      usage: { prompt_tokens: 1_000, output_tokens: 100 },
    },
    1_250,
    1_000,
    'estimated',
  ],
  // Models and providers that nobody knows, and no usage.
  [
    { provider: 'openai', model: 'gpt-5-of-mine', usage: { prompt_tokens: 1_000, output_tokens: 100 } },
    undefined,
    undefined,
    'unknown',
  ],
  [
    { provider: 'custom', model: 'gpt-5', at: 'http://127.0.0.1/v1', usage: { prompt_tokens: 9, output_tokens: 9 } },
    undefined,
    undefined,
    'unknown',
  ],
  [{ provider: 'openai', model: 'gpt-5', usage: null }, undefined, undefined, 'unknown'],
];

function recording(): string {
  let nanos = 1_790_000_000_000_000_000n;
  const line = (hook: string, payload: object) => {
    nanos += 1_000_000n;
    return JSON.stringify({ hook, time_unix_nano: String(nanos), payload });
  };
  return REQUESTS.flatMap(([{ provider, model, answered, at, usage }], i) => {
    const turn = { session_id: `s${i}`, turn_id: `t${i}` };
    const request = { ...turn, api_request_id: `t${i}:api:1`, model, provider, base_url: at, api_call_count: 1 };
    return [
      line('pre_llm_call', { ...turn, model }),
      line('pre_api_request', request),
      line('post_api_request', { ...request, response_model: answered, finish_reason: 'stop', usage }),
      line('on_session_end', { ...turn, completed: true }),
    ];
  }).join('\n');
}

it('requests of OpenAI, Anthropic, Gemini and of reasoning models cost what the sheet says', async () => {
  const [path, out] = [join(folder, 'requests.ndjson'), join(folder, 'spans.jsonl')];
  writeFileSync(path, recording());
  const args = ['packages/cli/bin/hermes-observer.js', 'replay', path, '--cost', '--otlp-file', out];
  expect(await runNode(args)).toMatchObject({ code: 0 });
  const micros = (usd: string | number | undefined) =>
    usd === undefined ? undefined : Math.round(Number(usd) * 1e12) / 1e6;
  const chats = spansOf(out).filter(({ name }) => name.startsWith('chat '));
  expect(
    chats.map(({ name, attributes }) => [
      name,
      micros(attributes['hermes.cost.input_usd']),
      micros(attributes['hermes.cost.output_usd']),
      attributes['hermes.cost.status'],
    ]),
  ).toEqual(REQUESTS.map(([{ model }, input, output, status]) => [`chat ${model}`, input, output, status]));
  // 8125 + 2100 + 90000 + 103500 + 126060 + 131250 + 625000 + 1250 = 1087285 and
  // 30000 + 4000 + 18000 + 18000 + 2250 + 20000 + 15000 + 1000 = 108250.
  expect(totalsOf(spansOf(out))).toMatchObject({
    usd: 1_195_535,
    inputUsd: 1_087_285,
    outputUsd: 108_250,
    statuses: { exact: 6, estimated: 2, unknown: 4 },
  });
});
