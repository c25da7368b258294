import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createObserver } from '@hermes-observer/otel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sample, sum } from '../../jaeger/prometheus-text.js';
import { SignalCollector } from '../signal-collector.js';

// Many turns of many sessions with many names of tools, some of them made up anew each time.

const TURNS = process.env.E2E_FULL === '1' ? 1_000_000 : 20_000;
const SESSIONS = 10_000;
const TOOLS = 500;
const MOST_SERIES = 1_501;
/** One call in so many has a name that was never there before. */
const MADE_UP = 100;
const SLICE = 1_000;
const MIB = 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let collector: SignalCollector;
beforeAll(async () => {
  collector = await SignalCollector.start();
});
afterAll(async () => {
  await collector.stop();
  collector.remove();
});

const heapOf = () => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/** Series of each metric: a histogram is one, whatever its buckets. */
function seriesByMetric(samples: readonly Sample[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name, labels } of samples) {
    if (name.endsWith('_sum') || (name.endsWith('_bucket') && labels.le !== '+Inf') || name.endsWith('_count'))
      continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

it(`${TURNS} turns of ${SESSIONS} sessions with ${TOOLS} tools stay under the cap`, {
  timeout: 1_800_000,
}, async () => {
  const observer = createObserver({
    metrics: true,
    exporters: [],
    env: { ...collector.env, OTEL_METRIC_EXPORT_INTERVAL: '5000' },
    onWarning: (text) => console.log(text),
  });
  const { hub } = observer;
  let input = 0;
  let middle = 0;
  for (let i = 0; i < TURNS; i++) {
    const ids = { session_id: `session-${i % SESSIONS}`, turn_id: `turn-${i}` };
    const request = { ...ids, api_request_id: `request-${i}`, model: `model-${i % 5}`, provider: 'openai' };
    const tool = {
      ...ids,
      tool_call_id: `call-${i}`,
      tool_name: i % MADE_UP === 0 ? `made_up_${i}` : `tool_${i % TOOLS}`,
    };
    hub.emit('pre_llm_call', ids);
    hub.emit('pre_api_request', request);
    hub.emit('post_api_request', {
      ...request,
      usage: { prompt_tokens: i % 1000, output_tokens: 10 },
      finish_reason: 'stop',
    });
    hub.emit('pre_tool_call', tool);
    hub.emit('post_tool_call', {
      ...tool,
      status: i % 7 === 0 ? 'error' : 'ok',
      error_type: i % 7 === 0 ? 'OSError' : null,
    });
    hub.emit('on_session_end', { ...ids, completed: true });
    input += i % 1000;
    if (i % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    if (i === TURNS / 2) middle = heapOf();
  }
  const grown = heapOf() - middle;
  await observer.shutdown();
  const page = await collector.page();
  const samples = await collector.samples();
  const series = seriesByMetric(samples);
  console.log(
    `${TURNS} turns: ${samples.length} samples, most series of a metric ${Math.max(...series.values())}, heap grew by ${(grown / MIB).toFixed(1)} MiB in the second half`,
  );
  expect([...series].filter(([, count]) => count > MOST_SERIES)).toEqual([]);
  // All names of tools are apart; what was made up is in one series, once there was no room.
  const tools = new Set(
    samples.map(({ labels }) => labels.gen_ai_tool_name).filter((name) => name?.startsWith('tool_')),
  );
  expect(tools.size).toBe(TOOLS - TOOLS / MADE_UP);
  const overflow = samples.filter(
    ({ name, labels }) =>
      name === 'gen_ai_execute_tool_duration_seconds_count' && labels.otel_metric_overflow === 'true',
  );
  expect(overflow.length).toBe(TURNS / MADE_UP > MOST_SERIES ? 1 : 0);
  expect(sum(samples, 'gen_ai_execute_tool_duration_seconds_count')).toBe(TURNS);
  expect(sum(samples, 'gen_ai_invoke_agent_duration_seconds_count')).toBe(TURNS);
  expect(sum(samples, 'gen_ai_client_inference_usage_input_tokens_total')).toBe(input);
  expect(sum(samples, 'gen_ai_client_inference_usage_output_tokens_total')).toBe(10 * TURNS);
  expect(page).not.toMatch(/session-|turn-\d|request-\d|call-\d/);
  // Assembly keeps closed turns and sessions up to its own bounds, which a short run is still filling.
  expect(grown).toBeLessThan(process.env.E2E_FULL === '1' ? 30 * MIB : 80 * MIB);
});
