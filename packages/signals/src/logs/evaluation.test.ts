import { readFileSync } from 'node:fs';
import { Hub } from '@hermes-observer/core';
import { createObserver } from '@hermes-observer/otel';
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { derivedContext } from './derived-context.js';
import { type EvaluationOptions, recordEvaluations } from './evaluation.js';
import { KeptLogs } from './logs.test-support.js';

const T = { session_id: 's', turn_id: 't' };

function judge(payload: Record<string, unknown>, options: Partial<EvaluationOptions> = {}) {
  const hub = new Hub();
  const loggerProvider = new KeptLogs();
  const end = recordEvaluations(hub, { loggerProvider, ...options });
  hub.emit('observer_evaluation', payload);
  end();
  hub.emit('observer_evaluation', payload);
  return loggerProvider.records;
}

describe('a judgement', () => {
  it('is a record of the span that it names, whether that is open, ended or long gone', async () => {
    const logs = new KeptLogs();
    const exporter = new InMemorySpanExporter();
    const observer = createObserver({ logs, exporters: [exporter], env: {}, onWarning: () => {} });
    const { hub } = observer;
    const judgeAll = () => {
      hub.emit('observer_evaluation', { ...T, name: 'relevance', score: 0.5, label: 'pass' });
      hub.emit('observer_evaluation', { ...T, name: 'relevance', tool_call_id: 'c', label: 'fail' });
      hub.emit('observer_evaluation', { ...T, name: 'relevance', api_request_id: 'r' });
    };
    hub.emit('pre_llm_call', T);
    hub.emit('pre_api_request', { ...T, api_request_id: 'r', model: 'm' });
    hub.emit('pre_tool_call', { ...T, tool_call_id: 'c', tool_name: 'x' });
    judgeAll();
    hub.emit('post_tool_call', { ...T, tool_call_id: 'c', tool_name: 'x', status: 'ok' });
    hub.emit('post_api_request', { ...T, api_request_id: 'r' });
    hub.emit('on_session_end', { ...T, completed: true });
    judgeAll();
    await observer.flush();
    const ids = Object.fromEntries(
      exporter.getFinishedSpans().map((span) => [span.name.split(' ')[0], span.spanContext()]),
    );
    const records = logs.of('gen_ai.evaluation.result');
    const wanted = [ids.invoke_agent, ids.execute_tool, ids.chat].map((context) => [context?.traceId, context?.spanId]);
    expect(records.map(({ traceId, spanId }) => [traceId, spanId])).toEqual([...wanted, ...wanted]);
    expect(records[0]?.attributes).toEqual({
      'gen_ai.conversation.id': 's',
      'hermes.turn.id': 't',
      'gen_ai.evaluation.name': 'relevance',
      'gen_ai.evaluation.score.value': 0.5,
      'gen_ai.evaluation.score.label': 'pass',
    });
    // Another process, which knows no span.
    const elsewhere = judge({ ...T, tool_call_id: 'c' });
    expect(elsewhere.map(({ spanId }) => spanId)).toEqual([ids.execute_tool?.spanId]);
    await observer.shutdown();
  });

  it('takes the ids of a span as they are given', () => {
    const [record] = judge({ ...T, trace_id: 'AB'.repeat(16), span_id: 'cd'.repeat(8) });
    expect([record?.traceId, record?.spanId]).toEqual(['ab'.repeat(16), 'cd'.repeat(8)]);
    expect(judge({ name: 'x', trace_id: 'zz', span_id: 'cd'.repeat(8), response_id: 'resp-1' })[0]).toMatchObject({
      spanId: undefined,
      attributes: { 'gen_ai.response.id': 'resp-1' },
    });
  });

  it('has its explanation and free names only where content is captured', () => {
    const payload = { ...T, name: 'is `it` good?', label: 'mail a@b.example', explanation: 'mail a@b.example' };
    expect(judge(payload)[0]?.attributes).toMatchObject({
      'gen_ai.evaluation.name': '_OTHER',
      'gen_ai.evaluation.score.label': '_OTHER',
    });
    expect(JSON.stringify(judge(payload))).not.toContain('a@b');
    const redacted = JSON.stringify(judge(payload, { capture: 'redacted' }));
    expect(redacted).toContain('gen_ai.evaluation.explanation');
    expect(redacted).not.toContain('a@b');
    expect(JSON.stringify(judge(payload, { capture: 'full' }))).toContain('a@b');
  });

  it('changes nothing of the turn', () => {
    const exporter = new InMemorySpanExporter();
    const observer = createObserver({ exporters: [exporter], env: {}, onWarning: () => {} });
    observer.hub.emit('observer_evaluation', { ...T, name: 'x' });
    expect(observer.counts.openSpans).toBe(0);
    return observer.shutdown();
  });
});

describe('derived ids', () => {
  it('are those of docs/span-ids.md', () => {
    const page = readFileSync(new URL('../../../../docs/span-ids.md', import.meta.url), 'utf8');
    const vectors = JSON.parse(page.split('```json\n').at(-1)?.split('```')[0] ?? '') as {
      source: string;
      trace_id: string;
      spans: { kind: string; parts: string[]; ordinal: number; span_id: string }[];
    }[];
    let checked = 0;
    for (const { source, trace_id, spans } of vectors) {
      if (!source.startsWith('turn\0')) continue;
      const turn = source.slice(5);
      for (const { kind, parts, ordinal, span_id } of spans) {
        const [scope, key] = parts;
        if (scope !== turn || ordinal > 0 || parts.length > 2) continue;
        const more = kind === 'tool' ? { toolCallId: key } : kind === 'request' ? { requestId: key } : {};
        if (!['turn', 'tool', 'request'].includes(kind)) continue;
        const derived = derivedContext({ turnId: turn, ...more });
        if (derived === undefined) continue;
        expect(derived).toMatchObject({ traceId: trace_id, spanId: span_id });
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(3);
  });
});
