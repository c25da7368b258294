import type { HookRecord } from '@hermes-observer/core';
import { CostSpanProcessor } from '@hermes-observer/cost';
import { createObserver } from '@hermes-observer/otel';
import { INSTRUMENTS, type InstrumentRow } from '@hermes-observer/signals';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sample } from '../../jaeger/prometheus-text.js';
import { recordings } from '../../jaeger/recordings.js';
import { emitRecord, recordsOf } from '../emit-recording.js';
import { SignalCollector } from '../signal-collector.js';

// Recordings of a real agent through `createObserver({ metrics: true })`, OTLP and the real Collector to a page for Prometheus.

const UNITS: Readonly<Record<string, string>> = { s: '_seconds', '{USD}': '' };

/** The name that Prometheus has for a metric: units in words, annotations in braces dropped, `_total` for what only rises. */
function prometheusName(name: string, { kind, unit }: InstrumentRow): string {
  return `${name.replaceAll('.', '_')}${UNITS[unit] ?? ''}${kind === 'Counter' ? '_total' : ''}`;
}

/** What none of the recordings has: a policy that blocks, a person who is asked, and a model whose price is known. */
function scriptedTurn(): HookRecord[] {
  const ids = { session_id: 'scripted-session', turn_id: 'scripted-turn' };
  const tool = { ...ids, tool_call_id: 'scripted-call', tool_name: 'terminal' };
  const request = { ...ids, api_request_id: 'scripted-request', model: 'gpt-4o', provider: 'openai' };
  const human = { ...ids, request_id: 'scripted-question', kind: 'clarify' };
  const usage = { prompt_tokens: 1000, output_tokens: 100 };
  const hooks: readonly (readonly [string, Record<string, unknown>])[] = [
    ['pre_llm_call', ids],
    ['pre_api_request', request],
    ['post_api_request', { ...request, usage, finish_reason: 'tool_calls' }],
    ['pre_tool_call', tool],
    ['observer_policy_decision', { ...tool, gate: 'shell', outcome: 'deny', kind: 'denied' }],
    ['post_tool_call', { ...tool, status: 'blocked', error_type: 'policy' }],
    ['on_human_input_request', human],
    ['on_human_input_resolved', { ...human, outcome: 'answered' }],
    ['on_session_end', { ...ids, completed: true }],
  ];
  const time = (i: number) => String(1_790_000_000_000_000_000n + BigInt(i) * 1_000_000_000n);
  return hooks.map(([hook, payload], i) => ({
    hook,
    payload,
    time_unix_nano: time(i),
    producer: 'scripted',
    seq: i + 1,
  }));
}

/** Usage as the agent reported it, added up from the records alone. */
function usageIn(all: readonly HookRecord[]) {
  const sums = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  for (const { hook, payload } of all) {
    if (hook !== 'post_api_request' && hook !== 'post_auxiliary_call') continue;
    // A mixture of agents tells the usage of its aggregator's request once more.
    if (payload.provider === 'moa') continue;
    const usage = payload.usage as Record<string, number> | null | undefined;
    if (usage === null || usage === undefined) continue;
    sums.input += usage.prompt_tokens ?? 0;
    sums.output += usage.output_tokens ?? 0;
    sums.cacheRead += usage.cache_read_tokens ?? 0;
    sums.cacheWrite += usage.cache_write_tokens ?? 0;
    sums.reasoning += usage.reasoning_tokens ?? 0;
  }
  return sums;
}

let collector: SignalCollector;
let samples: Sample[];
let page: string;
const spans = { chat: 0, tool: 0, agent: 0, seconds: { chat: 0, tool: 0, agent: 0 } };
const records: HookRecord[] = [];

beforeAll(async () => {
  collector = await SignalCollector.start();
  const observer = createObserver({
    metrics: true,
    processors: [new CostSpanProcessor()],
    env: { ...collector.env, OTEL_METRIC_EXPORT_INTERVAL: '500' },
    exporters: [
      {
        export: (batch, done) => {
          for (const { attributes, duration } of batch) {
            const kind = { chat: 'chat', execute_tool: 'tool', invoke_agent: 'agent' }[
              String(attributes['gen_ai.operation.name'])
            ] as 'chat' | 'tool' | 'agent' | undefined;
            if (kind === undefined) continue;
            spans[kind]++;
            spans.seconds[kind] += duration[0] + duration[1] / 1e9;
          }
          done({ code: 0 });
        },
        shutdown: async () => {},
      },
    ],
    limits: { maxOpenTraces: 50_000 },
    onWarning: (text) => console.log(text),
  });
  const runs = recordings(process.env.E2E_FULL === '1').map(({ name, path }) => ({ name, all: recordsOf(path) }));
  for (const { name, all } of [...runs, { name: 'scripted', all: scriptedTurn() }]) {
    records.push(...all);
    for (const record of all) emitRecord(observer.hub, record, name);
    observer.hub.emit('observer_closed', { scope: 'all', reason: 'shutdown' });
    await observer.flush();
  }
  await observer.shutdown();
  page = await collector.page();
  samples = await collector.samples();
}, 120_000);

afterAll(async () => {
  await collector.stop();
  collector.remove();
});

const total = (name: string) => samples.reduce((sum, one) => (one.name === name ? sum + one.value : sum), 0);

describe('recordings as a page for Prometheus', () => {
  it('has every metric by its name', () => {
    const rows = Object.entries(INSTRUMENTS) as [keyof typeof INSTRUMENTS, InstrumentRow][];
    const missing = rows
      .map(([name, row]) => prometheusName(name, row) + (row.kind === 'Histogram' ? '_bucket' : ''))
      .filter((name) => !samples.some((sample) => sample.name === name));
    expect(missing).toEqual([]);
    for (const own of [
      'otel_sdk_span_started_total',
      'hermes_observer_queue_bytes',
      'otel_sdk_exporter_span_exported_total',
    ]) {
      expect(
        samples.some(({ name }) => name === own),
        own,
      ).toBe(true);
    }
  });

  it('has the buckets of the table, and its types', () => {
    for (const [name, row] of Object.entries(INSTRUMENTS) as [string, InstrumentRow][]) {
      const known = prometheusName(name, row);
      if (row.kind === 'Counter' || !samples.some((sample) => sample.name === `${known}_bucket`)) continue;
      const bounds = samples
        .filter((sample) => sample.name === `${known}_bucket`)
        .map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
      expect(
        [...new Set(bounds)].sort((a, b) => a - b),
        name,
      ).toEqual([...(row.buckets ?? []), Infinity]);
      expect(page).toContain(`# TYPE ${known} histogram`);
    }
    expect(page).toContain('# TYPE gen_ai_client_inference_usage_input_tokens_total counter');
  });

  it('has the sums of the usage that the agent reported', () => {
    const usage = usageIn(records);
    expect(usage.input).toBeGreaterThan(10_000);
    const sum = (kind: string) => total(`gen_ai_client_inference_usage_${kind}_tokens_total`);
    expect({
      input: sum('input'),
      output: sum('output'),
      cacheRead: sum('cache_read_input'),
      cacheWrite: sum('cache_write_input'),
      reasoning: sum('reasoning_output'),
    }).toEqual(usage);
    expect(total('gen_ai_client_inference_operation_input_tokens_sum')).toBe(usage.input);
  });

  it('has as many measurements as spans, and as long ones', () => {
    expect(spans.tool).toBeGreaterThan(20);
    const of = (metric: string) => [total(`${metric}_seconds_count`), total(`${metric}_seconds_sum`)];
    const near = (seconds: number) => expect.closeTo(seconds, 6);
    expect(of('gen_ai_client_inference_duration')).toEqual([spans.chat, near(spans.seconds.chat)]);
    expect(of('gen_ai_execute_tool_duration')).toEqual([spans.tool, near(spans.seconds.tool)]);
    expect(of('gen_ai_invoke_agent_duration')).toEqual([spans.agent, near(spans.seconds.agent)]);
  });

  it('has no id of a session, turn, task or call in it', () => {
    const ids = new Set<string>();
    for (const { payload } of records) {
      for (const [name, value] of Object.entries(payload)) {
        if (/(session|turn|task|request|call|subagent)_id$/.test(name) && typeof value === 'string' && value.length > 5)
          ids.add(value);
      }
    }
    expect(ids.size).toBeGreaterThan(50);
    expect([...ids].filter((id) => page.includes(id))).toEqual([]);
  });
});
