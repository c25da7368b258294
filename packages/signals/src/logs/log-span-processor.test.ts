import type { ReadableSpan } from '@hermes-observer/otel';
import { createObserver, type ObserverOptions } from '@hermes-observer/otel';
import { AlwaysOffSampler, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { KeptLogs } from './logs.test-support.js';

const T = { session_id: 's', turn_id: 't' };
const REQUEST = { ...T, api_request_id: 'r1', model: 'gpt-5', provider: 'openai' };

type Hooks = readonly (readonly [hook: string, payload: Record<string, unknown>])[];

const TURN: Hooks = [
  ['pre_llm_call', { ...T, user_message: 'SECRET-user' }],
  ['pre_api_request', { ...REQUEST, request: { body: { messages: [{ role: 'user', content: 'SECRET-sent' }] } } }],
  [
    'api_request_error',
    { ...REQUEST, status_code: 500, error: { type: 'ServerError', message: 'SECRET-first' }, retryable: true },
  ],
  ['pre_api_request', REQUEST],
  [
    'post_api_request',
    {
      ...REQUEST,
      finish_reason: 'tool_calls',
      usage: { prompt_tokens: 5, output_tokens: 2 },
      assistant_message: { role: 'assistant', content: 'SECRET-answer' },
    },
  ],
  ['pre_tool_call', { ...T, tool_call_id: 'c1', tool_name: 'terminal', args: { command: 'SECRET-args' } }],
  [
    'observer_policy_decision',
    { ...T, tool_call_id: 'c1', gate: 'shell', outcome: 'ask', kind: 'asked', reason: 'SECRET-reason' },
  ],
  ['pre_approval_request', { ...T, tool_call_id: 'c1', surface: 'cli', pattern_key: 'rm', command: 'SECRET-command' }],
  ['post_approval_response', { ...T, tool_call_id: 'c1', surface: 'cli', pattern_key: 'rm', choice: 'deny' }],
  [
    'post_tool_call',
    {
      ...T,
      tool_call_id: 'c1',
      tool_name: 'terminal',
      status: 'error',
      error_type: 'OSError',
      error_message: 'SECRET-failed',
    },
  ],
  ['pre_api_request', { ...REQUEST, api_request_id: 'r2' }],
  [
    'api_request_error',
    {
      ...REQUEST,
      api_request_id: 'r2',
      status_code: 400,
      error: { type: 'BadRequest', message: 'SECRET-second' },
      retryable: false,
    },
  ],
  ['on_session_end', { ...T, failed: true, turn_exit_reason: 'api_error(SECRET-exit)' }],
];

async function run(options: ObserverOptions = {}, hooks: Hooks = TURN) {
  const logs = new KeptLogs();
  const exporter = new InMemorySpanExporter();
  const observer = createObserver({ logs, exporters: [exporter], env: {}, onWarning: () => {}, ...options });
  for (const [hook, payload] of hooks) observer.hub.emit(hook, payload);
  await observer.flush();
  const spans = exporter.getFinishedSpans() as unknown as ReadableSpan[];
  const idOf = (name: string) => spans.find((span) => span.name === name)?.spanContext();
  return { logs, observer, spans, idOf };
}

const severities = (logs: KeptLogs) =>
  Object.fromEntries(logs.records.map(({ eventName, severityText }) => [eventName, severityText]));

describe('log records of spans', () => {
  it('have names, severities and the spans that they are of', async () => {
    const { logs, idOf, spans } = await run();
    expect(severities(logs)).toEqual({
      'gen_ai.client.inference.operation.details': 'DEBUG',
      'hermes.api.attempt_failed': 'WARN',
      'hermes.policy.decision': 'INFO',
      'hermes.approval': 'WARN',
      'gen_ai.execute_tool.exception': 'WARN',
      'gen_ai.client.inference.exception': 'WARN',
      'hermes.invoke_agent.exception': 'ERROR',
    });
    const [tool] = logs.of('gen_ai.execute_tool.exception');
    expect(tool?.spanId).toBe(idOf('execute_tool terminal')?.spanId);
    expect(tool?.attributes).toMatchObject({ 'exception.type': 'OSError', 'gen_ai.tool.name': 'terminal' });
    expect(logs.of('hermes.policy.decision')[0]?.spanId).toBe(idOf('execute_tool terminal')?.spanId);
    expect(logs.of('hermes.approval')[0]).toMatchObject({
      spanId: spans.find(({ name }) => name.startsWith('approval'))?.spanContext().spanId,
      attributes: { 'hermes.approval.choice': 'deny', 'hermes.approval.pattern_key': 'rm' },
    });
    expect(logs.of('hermes.invoke_agent.exception')[0]?.spanId).toBe(idOf('invoke_agent hermes')?.spanId);
    const known = new Set(spans.map((span) => span.spanContext().spanId));
    expect(logs.records.every(({ spanId }) => spanId !== undefined && known.has(spanId))).toBe(true);
  });

  it('say of a request what its span says, at the time it ended', async () => {
    const { logs, spans } = await run();
    const [details] = logs.of('gen_ai.client.inference.operation.details');
    const span = spans.find((each) => each.spanContext().spanId === details?.spanId);
    expect(details?.timestamp).toEqual(span?.endTime);
    expect(details?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.usage.input_tokens': 5,
      'gen_ai.response.finish_reasons': ['tool_calls'],
    });
  });

  it('have no content without capture, and messages as values with it', async () => {
    const { logs } = await run();
    expect(JSON.stringify(logs.records)).not.toContain('SECRET');
    const full = await run({ capture: 'full' });
    const text = JSON.stringify(full.logs.records);
    for (const word of ['reason', 'command', 'failed', 'first', 'second']) expect(text).toContain(`SECRET-${word}`);
    const [details] = full.logs.of('gen_ai.client.inference.operation.details');
    expect(details?.attributes['gen_ai.input.messages']).toEqual(expect.any(Array));
    expect(full.logs.of('gen_ai.execute_tool.exception')[0]?.attributes['exception.message']).toBe('SECRET-failed');
  });

  it('are screened as spans are before an export', async () => {
    const key = `sk-proj-${'aB3'.repeat(16)}`;
    const hooks = TURN.map(
      ([hook, payload]) => [hook, JSON.parse(JSON.stringify(payload).replaceAll('SECRET', key))] as const,
    );
    const open = await run({ capture: 'full' }, hooks);
    expect(JSON.stringify(open.logs.records)).toContain(key);
    const redacted = await run({ capture: 'full', redaction: {} }, hooks);
    expect(redacted.logs.records.length).toBe(open.logs.records.length);
    expect(JSON.stringify(redacted.logs.records)).not.toContain(key);
    const left = await run({ beforeExport: (span) => (span.name.startsWith('chat') ? null : span) });
    expect(left.logs.of('gen_ai.client.inference.operation.details')).toEqual([]);
    expect(left.logs.of('hermes.approval').length).toBe(1);
  });

  it('are made of sampled spans alone', async () => {
    const { logs } = await run({ sampler: new AlwaysOffSampler() });
    expect(logs.records).toEqual([]);
  });
});

describe('a logger that fails', () => {
  it('is told of once, and harms nothing', async () => {
    const told: string[] = [];
    const observer = createObserver({
      logs: {
        getLogger: () => ({
          emit: () => {
            throw new Error('no');
          },
        }),
      },
      exporters: [],
      env: {},
      onWarning: (text) => told.push(text),
    });
    for (const [hook, payload] of TURN) observer.hub.emit(hook, payload);
    await observer.shutdown();
    expect(told).toEqual(['logs failed: Error: no']);
  });
});
