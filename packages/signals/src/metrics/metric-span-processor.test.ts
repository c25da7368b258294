import type { SpanProcessor } from '@hermes-observer/otel';
import { createObserver, ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { RecordingSampler } from '../recording-sampler.js';
import { INSTRUMENTS } from './instruments.js';
import { LABELS } from './labels.js';
import { MetricSpanProcessor, type MetricSpanProcessorOptions } from './metric-span-processor.js';
import { ReadableMeters } from './metrics.test-support.js';

type Records = readonly (readonly [second: number, hook: string, payload: Record<string, unknown>])[];

async function measure(records: Records, options: MetricSpanProcessorOptions = {}, more: SpanProcessor[] = []) {
  const meters = new ReadableMeters();
  const processor = new MetricSpanProcessor(meters.provider, options);
  const tracerProvider = new ObserverTracerProvider({ spanProcessors: [processor, ...more] });
  feed(new SpanBridge({ tracerProvider }), records);
  await tracerProvider.forceFlush();
  return { meters, processor };
}

function feed(bridge: SpanBridge, records: Records): void {
  records.forEach(([second, hook, payload], i) => {
    const time = `${1_790_000_000_000_000_000n + BigInt(Math.round(second * 1e3)) * 1_000_000n}`;
    bridge.handleRecord({ hook, time_unix_nano: time, producer: 'p', seq: i + 1, payload });
  });
  bridge.closeAll();
}

const T = { session_id: 's', turn_id: 't' };
const USAGE = {
  prompt_tokens: 1000,
  output_tokens: 50,
  cache_read_tokens: 800,
  cache_write_tokens: 100,
  reasoning_tokens: 20,
};
const REQUEST = {
  ...T,
  api_request_id: 'r1',
  model: 'gpt-5',
  provider: 'openai',
  base_url: 'https://api.openai.com/v1',
};

const TURN: Records = [
  [0, 'pre_llm_call', { ...T, model: 'gpt-5', platform: 'cli' }],
  [1, 'pre_api_request', REQUEST],
  [2, 'api_request_error', { ...REQUEST, status_code: 429, error: { type: 'RateLimitError' }, retryable: true }],
  [3, 'pre_api_request', REQUEST],
  [
    5,
    'post_api_request',
    {
      ...REQUEST,
      response_model: 'gpt-5-x',
      finish_reason: 'tool_calls',
      usage: USAGE,
      first_chunk_at: 1_790_000_003.5,
    },
  ],
  [5, 'pre_tool_call', { ...T, tool_call_id: 'c1', tool_name: 'delegate_task', api_request_id: 'r1' }],
  [
    5.5,
    'subagent_start',
    {
      parent_session_id: 's',
      parent_turn_id: 't',
      child_session_id: 'cs',
      child_subagent_id: 'cid',
      child_role: 'leaf',
    },
  ],
  [
    6,
    'pre_api_request',
    { session_id: 'cs', turn_id: 'ct', api_request_id: 'cr', model: 'gpt-5-mini', provider: 'openai' },
  ],
  [
    7,
    'post_api_request',
    {
      session_id: 'cs',
      turn_id: 'ct',
      api_request_id: 'cr',
      model: 'gpt-5-mini',
      provider: 'openai',
      usage: { prompt_tokens: 10, output_tokens: 5 },
      finish_reason: 'stop',
    },
  ],
  [7, 'pre_tool_call', { session_id: 'cs', turn_id: 'ct', tool_call_id: 'c1', tool_name: 'read_file' }],
  [
    7.25,
    'post_tool_call',
    { session_id: 'cs', turn_id: 'ct', tool_call_id: 'c1', tool_name: 'read_file', status: 'ok' },
  ],
  [8, 'on_session_end', { session_id: 'cs', turn_id: 'ct', completed: true }],
  [
    8,
    'subagent_stop',
    {
      parent_session_id: 's',
      parent_turn_id: 't',
      child_session_id: 'cs',
      child_subagent_id: 'cid',
      child_role: 'leaf',
      child_status: 'completed',
    },
  ],
  [8, 'post_tool_call', { ...T, tool_call_id: 'c1', tool_name: 'delegate_task', status: 'ok' }],
  [8, 'pre_tool_call', { ...T, tool_call_id: 'c2', tool_name: 'terminal' }],
  [8.5, 'observer_policy_decision', { ...T, tool_call_id: 'c2', gate: 'shell', outcome: 'ask', kind: 'asked' }],
  [8.5, 'pre_approval_request', { ...T, tool_call_id: 'c2', surface: 'cli', pattern_key: 'rm' }],
  [38.5, 'post_approval_response', { ...T, tool_call_id: 'c2', surface: 'cli', pattern_key: 'rm', choice: 'deny' }],
  [
    38.5,
    'post_tool_call',
    { ...T, tool_call_id: 'c2', tool_name: 'terminal', status: 'blocked', error_type: 'approval' },
  ],
  [
    39,
    'pre_auxiliary_call',
    { ...T, api_request_id: 'a', aux_task: 'title_generation', model: 'gpt-5-mini', provider: 'openai' },
  ],
  [
    40,
    'post_auxiliary_call',
    {
      ...T,
      api_request_id: 'a',
      aux_task: 'title_generation',
      model: 'gpt-5-mini',
      provider: 'openai',
      usage: { prompt_tokens: 7, output_tokens: 3 },
    },
  ],
  [41, 'on_session_end', { ...T, completed: true }],
];

describe('a turn as metrics', () => {
  it('has durations as long as the spans', async () => {
    const { meters } = await measure(TURN);
    const seconds = async (name: string, label: string) =>
      Object.fromEntries((await meters.points(name)).map(({ labels, value }) => [String(labels[label]), value]));
    expect(await seconds('gen_ai.execute_tool.duration', 'gen_ai.tool.name')).toEqual({
      delegate_task: 3,
      read_file: 0.25,
      terminal: 30.5,
    });
    expect(await seconds('gen_ai.invoke_agent.duration', 'gen_ai.agent.name')).toEqual({ hermes: 41, leaf: 2.5 });
    // 1 s to 5 s with its retry, 1 s of the child, 1 s of the title.
    expect(await seconds('gen_ai.client.inference.duration', 'gen_ai.response.model')).toEqual({
      'gpt-5-x': 4,
      undefined: 2,
    });
    expect(await seconds('gen_ai.client.inference.time_to_first_chunk', 'gen_ai.request.model')).toEqual({
      'gpt-5': 0.5,
    });
    expect(await seconds('hermes.approval.duration', 'hermes.approval.choice')).toEqual({ deny: 30 });
  });

  it('counts tokens by kind, each once', async () => {
    const { meters } = await measure(TURN);
    const usage = (kind: string) => meters.sum(`gen_ai.client.inference.usage.${kind}_tokens`);
    expect(await usage('input')).toBe(1017);
    expect(await usage('output')).toBe(58);
    expect(await usage('cache_read.input')).toBe(800);
    expect(await usage('cache_write.input')).toBe(100);
    expect(await usage('reasoning.output')).toBe(20);
    expect(await meters.sum('gen_ai.client.inference.operation.input_tokens')).toBe(1017);
    expect(await meters.count('gen_ai.client.inference.operation.input_tokens')).toBe(3);
  });

  it('counts the calls of an agent without those of its children', async () => {
    const { meters } = await measure(TURN);
    const by = async (name: string) =>
      Object.fromEntries((await meters.points(name)).map(({ labels, value }) => [labels['gen_ai.agent.name'], value]));
    expect(await by('gen_ai.invoke_agent.inference_calls')).toEqual({ hermes: 1, leaf: 1 });
    expect(await by('gen_ai.invoke_agent.tool_calls')).toEqual({ hermes: 2, leaf: 1 });
  });

  it('counts outcomes, what was blocked, decisions and failed attempts', async () => {
    const { meters } = await measure(TURN);
    expect(await meters.points('hermes.turn.outcomes')).toEqual([
      {
        labels: {
          'gen_ai.agent.name': 'hermes',
          'hermes.platform': 'cli',
          'hermes.turn.kind': 'user',
          'hermes.turn.outcome': 'completed',
        },
        value: 1,
        count: undefined,
      },
    ]);
    expect((await meters.points('hermes.subagent.outcomes'))[0]?.labels['hermes.subagent.status']).toBe('completed');
    expect((await meters.points('hermes.tool.blocked'))[0]?.labels).toEqual({
      'gen_ai.tool.name': 'terminal',
      'gen_ai.agent.name': 'hermes',
      'hermes.tool.blocked_by': 'approval',
    });
    expect((await meters.points('hermes.policy.decisions'))[0]?.labels).toEqual({
      'hermes.policy.gate': 'shell',
      'hermes.policy.outcome': 'ask',
      'hermes.policy.kind': 'asked',
    });
    expect((await meters.points('hermes.api.failed_attempts'))[0]?.labels).toMatchObject({
      'error.type': 'RateLimitError',
      'http.response.status_code': 429,
    });
  });

  it('has only labels of the lists, and no id', async () => {
    const { meters } = await measure(TURN);
    const allowed = new Set<string>(Object.values(LABELS).flat());
    const seen = new Set<string>();
    for (const name of Object.keys(INSTRUMENTS)) {
      for (const { labels } of await meters.points(name)) for (const label of Object.keys(labels)) seen.add(label);
    }
    expect(seen.size).toBeGreaterThan(15);
    expect([...seen].filter((label) => !allowed.has(label))).toEqual([]);
    expect(
      [...allowed].filter((label) => /conversation|session|turn\.id|user|task|request_id|call\.id/.test(label)),
    ).toEqual([]);
  });

  it('has units and buckets as the table says', async () => {
    const { meters } = await measure(TURN);
    for (const metric of await meters.metrics()) {
      const row = INSTRUMENTS[metric.descriptor.name as keyof typeof INSTRUMENTS];
      expect(metric.descriptor.unit).toBe(row.unit);
      if (!('buckets' in row)) continue;
      const [point] = metric.dataPoints as { value: { buckets: { boundaries: number[] } } }[];
      expect(point?.value.buckets.boundaries).toEqual(row.buckets);
    }
    expect(INSTRUMENTS['gen_ai.client.inference.duration'].buckets.at(-1)).toBe(81.92);
    expect(INSTRUMENTS['gen_ai.invoke_agent.duration'].buckets.at(-1)).toBe(409.6);
    expect(INSTRUMENTS['gen_ai.client.inference.operation.input_tokens'].buckets.at(-1)).toBe(67_108_864);
  });

  it('follows nothing that has ended', async () => {
    const { meters, processor } = await measure([
      ...TURN,
      ...TURN.map(([s, h, p]) => [s + 100, h, { ...p, turn_id: `2${p.turn_id}` }] as const),
    ]);
    expect(await meters.count('gen_ai.invoke_agent.duration')).toBeGreaterThan(2);
    expect(processor.openSpans).toBe(0);
  });

  it('counts a failed request with 0 tokens and its kind of error', async () => {
    const { meters } = await measure([
      [0, 'pre_llm_call', T],
      [1, 'pre_api_request', REQUEST],
      [2, 'api_request_error', { ...REQUEST, status_code: 500, error: { type: 'ServerError' }, retryable: false }],
      [3, 'on_session_end', { ...T, failed: true, turn_exit_reason: 'api_error' }],
    ]);
    const [point] = await meters.points('gen_ai.client.inference.operation.output_tokens');
    expect(point).toMatchObject({ value: 0, count: 1, labels: { 'error.type': 'ServerError' } });
    expect((await meters.points('gen_ai.client.inference.usage.input_tokens'))[0]?.value).toBe(0);
    expect((await meters.points('gen_ai.invoke_agent.duration'))[0]?.labels['error.type']).toBe('api_error');
  });
});

describe('costs', () => {
  it('are added up where they are on spans', async () => {
    const pricing: SpanProcessor = {
      onStart: () => {},
      onEnding: (span) => {
        if (span.name.startsWith('chat'))
          span.setAttributes({ 'hermes.cost.usd': 0.25, 'hermes.cost.status': 'exact' });
      },
      onEnd: () => {},
      forceFlush: async () => {},
      shutdown: async () => {},
    };
    const { meters } = await measure(TURN, {}, [pricing]);
    expect(await meters.sum('hermes.cost.usd')).toBe(0.75);
    expect(await (await measure(TURN)).meters.points('hermes.cost.usd')).toEqual([]);
  });
});

describe('the cap', () => {
  const tools = (count: number): Records => [
    [0, 'pre_llm_call', T],
    ...Array.from({ length: count }, (_, i) => {
      const call = { ...T, tool_call_id: `c${i}`, tool_name: `tool_${i}` };
      return [
        [1, 'pre_tool_call', call],
        [2, 'post_tool_call', { ...call, status: 'ok' }],
      ] as const;
    }).flat(),
    [3, 'on_session_end', { ...T, completed: true }],
  ];

  it('leaves 500 tools apart', async () => {
    const { meters } = await measure(tools(500));
    const points = await meters.points('gen_ai.execute_tool.duration');
    expect(points.length).toBe(500);
    expect(points.some(({ labels }) => 'otel.metric.overflow' in labels)).toBe(false);
  });

  it('puts what is over it into one series, and loses nothing', async () => {
    const { meters, processor } = await measure(tools(100), { maxSeries: 10 });
    const points = await meters.points('gen_ai.execute_tool.duration');
    expect(points.length).toBe(11);
    expect(points.find(({ labels }) => labels['otel.metric.overflow'] === true)?.count).toBe(90);
    expect(await meters.count('gen_ai.execute_tool.duration')).toBe(100);
    expect(processor.seriesCounts.overflowed).toBe(90);
  });
});

describe('sampling', () => {
  it('changes nothing for our provider', async () => {
    for (const traceparent of [undefined, `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`]) {
      const meters = new ReadableMeters();
      const exported: string[] = [];
      const observer = createObserver({
        metrics: meters.provider,
        sampler: traceparent === undefined ? new AlwaysOffSampler() : undefined,
        exporters: [
          {
            export: (spans, done) => {
              exported.push(...spans.map(({ name }) => name));
              done({ code: 0 });
            },
            shutdown: async () => {},
          },
        ],
        env: {},
        onWarning: () => {},
      });
      const traceContext = traceparent === undefined ? undefined : { traceparent };
      for (const [, hook, payload] of TURN)
        observer.hub.emit(hook, payload, traceContext === undefined ? {} : { traceContext });
      await observer.shutdown();
      expect(exported).toEqual([]);
      expect(await meters.sum('gen_ai.client.inference.usage.input_tokens')).toBe(1017);
      expect(await meters.count('gen_ai.execute_tool.duration')).toBe(3);
    }
  });

  it('changes nothing for an SDK with a RecordingSampler', async () => {
    const counts = async (sampler: ConstructorParameters<typeof BasicTracerProvider>[0]) => {
      const meters = new ReadableMeters();
      const tracerProvider = new BasicTracerProvider({
        ...sampler,
        spanProcessors: [new MetricSpanProcessor(meters.provider)],
      });
      feed(new SpanBridge({ tracerProvider }), TURN);
      await tracerProvider.forceFlush();
      return [
        await meters.sum('gen_ai.client.inference.usage.input_tokens'),
        await meters.sum('gen_ai.invoke_agent.inference_calls'),
      ];
    };
    expect(await counts({})).toEqual([1017, 2]);
    expect(await counts({ sampler: new RecordingSampler(new AlwaysOffSampler()) })).toEqual([1017, 2]);
    // What a sampler drops is not there to be counted.
    expect(await counts({ sampler: new AlwaysOffSampler() })).toEqual([0, 0]);
  });
});

describe('labels', () => {
  it('are redacted where the observer redacts', async () => {
    const key = `sk-proj-${'aB3'.repeat(16)}`;
    const meters = new ReadableMeters();
    const observer = createObserver({
      metrics: meters.provider,
      capture: 'full',
      redaction: {},
      agentName: `agent ${key}`,
      exporters: [],
      env: {},
      onWarning: () => {},
    });
    const records = TURN.map(
      ([, hook, payload]) =>
        [hook, payload.tool_name === 'terminal' ? { ...payload, tool_name: `tool ${key}` } : payload] as const,
    );
    for (const [hook, payload] of records) observer.hub.emit(hook, payload);
    await observer.shutdown();
    const text = JSON.stringify(await meters.metrics());
    expect(text).toContain('read_file');
    expect(text).not.toContain(key);
  });
});
