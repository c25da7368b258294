import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HookMeta, type Payload } from '@hermes-observer/core';
import { ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { expect, it } from 'vitest';
import { hashParts, spanId, traceIdOf } from '../packages/otel/src/spans/span-id.js';
import { runCommand, TOP } from './run-command.js';
import { skipWith } from './skip-with.js';

interface SpanVector {
  readonly kind: string;
  readonly parts: readonly string[];
  readonly ordinal: number;
  readonly span_id: string;
}

interface TraceVector {
  readonly source: string;
  readonly trace_id: string;
  readonly spans: readonly SpanVector[];
}

const page = readFileSync(join(TOP, 'docs/span-ids.md'), 'utf8');
const block = (language: string) => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';
const vectors = JSON.parse(block('json')) as TraceVector[];

/** The ids by vector, one text each, to compare whole lists. */
const expected = vectors.flatMap(({ trace_id, spans }) => spans.map((span) => `${trace_id} ${span.span_id}`));

it('the vectors are those of the code', () => {
  const ids = vectors.flatMap(({ source, spans }) => {
    const trace = traceIdOf(source);
    return spans.map(({ kind, parts, ordinal }) => {
      const from = hashParts([trace, kind, ...parts.slice(0, -1)]);
      return `${trace} ${spanId(from, parts.at(-1) ?? '', undefined, ordinal)}`;
    });
  });
  expect(ids).toEqual(expected);
  expect(new Set(ids).size).toBeGreaterThan(15);
});

it('the implementation of the page, in Python, gives them too', async (context) => {
  const python = await runCommand('python3', ['--version']).catch(() => undefined);
  if (python?.code !== 0) skipWith(context, 'there is no python3');
  const program = `${block('python')}
import json, sys
for vector in json.load(sys.stdin):
    trace = trace_id(vector["source"])
    for span in vector["spans"]:
        print(trace, span_id(trace, span["kind"], span["parts"], span["ordinal"]))
`;
  const { stdout, stderr } = await runCommand('python3', ['-c', program], {
    input: JSON.stringify(vectors),
    env: { PYTHONUTF8: '1' },
  });
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual(expected);
});

/** Records that name what the vectors name. */
function calls(): [hook: string, payload: Payload, producer?: string, seq?: number][] {
  const turn = { session_id: 's1', task_id: 's1', turn_id: 's1:s1:4f0e' };
  const request = { ...turn, api_request_id: 's1:s1:4f0e:api:1', model: 'm', provider: 'p' };
  const call = { ...turn, tool_call_id: 'call_1', tool_name: 'terminal' };
  const child = { child_session_id: 'child-session-1', child_role: 'leaf' };
  const other = { session_id: 's2', turn_id: 'Ümläut-🙂' };
  return [
    ['pre_llm_call', turn],
    ['pre_api_request', request],
    ['post_api_request', request],
    ['pre_api_request', request],
    ['pre_tool_call', call],
    ['pre_approval_request', { ...call, surface: 'gateway', pattern_key: 'rm -rf' }],
    ['on_human_input_request', { ...turn, kind: 'clarify', request_id: 'req-7' }],
    ['on_human_input_request', { ...turn, kind: 'clarify' }],
    ['pre_auxiliary_call', { ...turn, aux_task: 'title_generation' }],
    ...Array.from({ length: 11 }, (): [string, Payload] => ['pre_tool_call', { ...turn, tool_name: 'read_file' }]),
    ['subagent_start', { ...child, parent_session_id: 's1', parent_turn_id: turn.turn_id }],
    ['pre_api_request', { session_id: 'child-session-1', turn_id: 'child-turn-1', api_request_id: 'child-request-1' }],
    ['pre_llm_call', other],
    ['pre_tool_call', { ...other, tool_call_id: 'zażółć' }],
    ['pre_tool_call', { ...other, tool_name: '検索 🔎' }],
    ['subagent_start', { child_subagent_id: 'agent-7' }],
    ['pre_llm_call', { turn_id: 'a\0b' }],
    ['pre_tool_call', { turn_id: 'a\0b', tool_call_id: 'c\0d' }],
    ['subagent_start', { child_session_id: 'child-session-2' }],
    ['pre_auxiliary_call', { session_id: 'child-session-2', api_request_id: 'aux-1' }],
    ['pre_tool_call', { tool_call_id: 'call_9' }, 'p1', 12],
    ['pre_auxiliary_call', { aux_task: 'compression' }, 'p1', 13],
  ];
}

it('records with these ids make spans with these ids', () => {
  const ended: ReadableSpan[] = [];
  const collector = {
    onStart: () => {},
    onEnd: (span: ReadableSpan) => void ended.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const bridge = new SpanBridge({ tracerProvider: new ObserverTracerProvider({ spanProcessors: [collector] }) });
  let second = 1;
  for (const [hook, payload, producer, seq] of calls()) {
    bridge.handle(payload, new HookMeta(hook, [second++, 0], producer, seq));
  }
  bridge.closeAll();
  const ids = new Set(ended.map((span) => `${span.spanContext().traceId} ${span.spanContext().spanId}`));
  expect(expected.filter((id) => !ids.has(id))).toEqual([]);
  expect(ids.size).toBe(ended.length);
});
