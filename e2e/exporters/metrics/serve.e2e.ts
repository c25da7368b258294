import { setTimeout as sleep } from 'node:timers/promises';
import { type HookRecord, parseRecord } from '@hermes-observer/core';
import { ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import { CumulativeMeters, LogSpanProcessor, MetricSpanProcessor } from '@hermes-observer/signals';
import { trace } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { type Sample, samplesOf } from '../../jaeger/prometheus-text.js';
import { waitFor } from '../../jaeger/wait-for.js';
import { ServeProcess } from '../serve-process.js';
import { SignalCollector } from '../signal-collector.js';

// Metrics and log records of `serve` in the real Collector, while `serve` is killed again and again.

const TURNS = process.env.E2E_FULL === '1' ? 3_000 : 300;
const KILLS = process.env.E2E_FULL === '1' ? 20 : 4;
const CHUNK = 10;

function linesOf(turn: number): string[] {
  const ids = { session_id: `session-${turn % 7}`, turn_id: `turn-${turn}` };
  const call = { ...ids, tool_call_id: 'c', tool_name: `tool_${turn % 9}` };
  const request = { ...ids, api_request_id: 'r', model: `model-${turn % 3}`, provider: 'openai' };
  const status = turn % 5 === 0 ? 'error' : 'ok';
  const hooks: readonly (readonly [string, Record<string, unknown>, number])[] = [
    ['pre_llm_call', ids, 0],
    ['pre_api_request', request, 1],
    ['post_api_request', { ...request, usage: { prompt_tokens: turn, output_tokens: 3 }, finish_reason: 'stop' }, 3],
    ['pre_tool_call', call, 4],
    ['post_tool_call', { ...call, status, ...(status === 'error' ? { error_type: 'OSError' } : {}) }, 4 + (turn % 4)],
    ['on_session_end', { ...ids, completed: true }, 9],
  ];
  return hooks.map(([hook, payload, second], i) =>
    JSON.stringify({
      hook,
      time_unix_nano: `${1_790_000_000 + turn * 10 + second}000000000`,
      producer: 'agent',
      seq: turn * hooks.length + i + 1,
      payload,
    }),
  );
}

/** What comes of lines that are traced once, in one go. */
async function inOneGo(lines: readonly string[]) {
  const meters = new CumulativeMeters([1, 0]);
  const logs: string[] = [];
  const loggerProvider = {
    getLogger: () => ({
      emit: ({ eventName, context, timestamp }: { eventName: string; context: never; timestamp: readonly number[] }) =>
        void logs.push(`${eventName} ${trace.getSpanContext(context)?.spanId} ${timestamp[0]}`),
    }),
  };
  const spanProcessors = [new MetricSpanProcessor(meters), new LogSpanProcessor(loggerProvider)];
  const tracerProvider = new ObserverTracerProvider({ spanProcessors });
  const bridge = new SpanBridge({ tracerProvider });
  for (const line of lines) bridge.handleRecord(parseRecord(line).record as HookRecord);
  await tracerProvider.forceFlush();
  return { metrics: meters.collect([2, 0]).metrics, logs: logs.sort() };
}

const NAMES = /^(gen_ai|hermes_(?!observer))/;

/** Series of agents' metrics by their labels, those of the scrape left out. */
function seriesOf(samples: readonly Sample[]): Map<string, number> {
  const series = new Map<string, number>();
  for (const { name, labels, value } of samples) {
    if (!NAMES.test(name)) continue;
    const own = Object.entries(labels)
      .filter(([label]) => !/^(job|instance|otel_scope_.*)$/.test(label))
      // One writes large bounds in full, the other with an exponent.
      .map(
        ([label, text]) => [label, label === 'le' ? String(Number(text.replace('Inf', 'Infinity'))) : text] as const,
      );
    series.set(`${name} ${JSON.stringify(own.sort(([a], [b]) => (a < b ? -1 : 1)))}`, value);
  }
  return series;
}

it(`${TURNS} turns count once each, while serve is killed ${KILLS} times`, { timeout: 600_000 }, async () => {
  const collector = await SignalCollector.start();
  const serve = await ServeProcess.start({
    HERMES_OBSERVER_METRICS_URL: collector.endpoint,
    HERMES_OBSERVER_METRICS_INTERVAL: '1s',
    HERMES_OBSERVER_METRICS_PROMETHEUS: 'true',
    HERMES_OBSERVER_LOGS_URL: collector.endpoint,
  });
  try {
    const lines = Array.from({ length: TURNS }, (_, turn) => linesOf(turn)).flat();
    const expected = await inOneGo(lines);
    const killEvery = Math.floor(TURNS / CHUNK / (KILLS + 1));
    // What Prometheus would see: no series may ever go back.
    const highest = new Map<string, number>();
    const fallen: string[] = [];
    const look = async () => {
      for (const [series, value] of seriesOf(await collector.samples())) {
        if (value < (highest.get(series) ?? 0)) fallen.push(`${series}: ${highest.get(series)} to ${value}`);
        highest.set(series, value);
      }
    };
    for (let chunk = 0; chunk * CHUNK < TURNS; chunk++) {
      const records = Array.from({ length: CHUNK }, (_, i) => linesOf(chunk * CHUNK + i)).flat();
      await serve.take(records);
      if (chunk % killEvery === killEvery - 1 && chunk / killEvery < KILLS) {
        // At times just after an export, at times long before the next.
        await sleep((chunk * 397) % 1_300);
        await look();
        await serve.end('SIGKILL');
        await serve.start();
      }
      await look();
    }
    const page = await waitFor('serve does not show all turns', async () => {
      const text = await serve.metricsPage();
      return text.includes(`hermes_turn_outcomes_total`) && sumOf(text, 'hermes_turn_outcomes_total') === TURNS
        ? text
        : undefined;
    });
    await serve.end('SIGTERM');
    await look();
    expect(fallen).toEqual([]);
    const got = seriesOf(await collector.samples());
    expect(got.size).toBeGreaterThan(200);
    // The page of the service itself has the same series, by the same names.
    const own = seriesOf(samplesOf(page.replaceAll(/^# .*\n/gm, '')));
    expect(own).toEqual(got);
    const total = (name: string) =>
      [...got].reduce((sum, [series, value]) => (series.startsWith(`${name} `) ? sum + value : sum), 0);
    const wanted = (name: string) =>
      (expected.metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []).reduce(
        (sum, { value }) => sum + (typeof value === 'number' ? value : ((value as { sum: number }).sum ?? 0)),
        0,
      );
    expect(total('gen_ai_client_inference_usage_input_tokens_total')).toBe((TURNS * (TURNS - 1)) / 2);
    expect(total('gen_ai_execute_tool_duration_seconds_count')).toBe(TURNS);
    expect(total('gen_ai_execute_tool_duration_seconds_sum')).toBe(wanted('gen_ai.execute_tool.duration'));
    expect(total('gen_ai_invoke_agent_duration_seconds_sum')).toBe(9 * TURNS);
    await collector.stop();
    const logs = collector
      .requests<{
        resourceLogs: { scopeLogs: { logRecords: { eventName: string; spanId: string; timeUnixNano: string }[] }[] }[];
      }>('logs')
      .flatMap(({ resourceLogs }) =>
        resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
      )
      .map(({ eventName, spanId, timeUnixNano }) => `${eventName} ${spanId} ${timeUnixNano.slice(0, -9)}`);
    const once = [...new Set(logs)].sort();
    console.log(
      `${TURNS} turns, ${KILLS} kills: ${got.size} series, ${once.length} log records, ${logs.length - once.length} of them twice`,
    );
    expect(once).toEqual(expected.logs);
  } finally {
    await serve.remove();
    await collector.stop();
    collector.remove();
  }
});

const sumOf = (page: string, name: string) =>
  [...page.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\S+)`, 'gm'))].reduce((sum, [, value]) => sum + Number(value), 0);
