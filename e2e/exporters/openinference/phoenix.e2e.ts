import { LosslessSpanProcessor, type ReadableSpan } from '@hermes-observer/otel';
import { phoenixExporter } from '@hermes-observer/profiles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runNode } from '../../run-command.js';
import { recordedSpans, recordingNames } from '../recorded-spans.js';
import { Phoenix, type PhoenixSpan } from './phoenix.js';

const SHORT = [
  '0.22.2/a2-cached-and-reasoning-usage',
  '0.22.2/b-two-sequential-tools',
  '0.22.2/c-parallel-tools',
  '0.22.2/d-tool-blocked-by-plugin',
  '0.22.2/e-tool-errors',
  '0.22.2/f-retry-after-429',
  '0.22.2/i6-unicode',
  '0.22.2/k-delegate-one-child-sync',
  '0.22.2/l-delegate-batch-one-fails-sync',
  '0.22.2/m-background-delegation-one-child-tui',
  '0.22.2/n-delegate-nested-sync',
  '0.22.2/p2-approval-deny-tui',
  '0.22.2/w-volume-30-turns-tui',
];
/** Goes by way of the command. Its ids are those of any other sending, and Phoenix keeps a trace in one project. */
const REPLAYED = '0.20.1/b-two-sequential-tools';
const RECORDINGS = process.env.E2E_FULL === '1' ? recordingNames().filter((name) => name !== REPLAYED) : SHORT;

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^invoke_agent/, 'AGENT'],
  [/^chat/, 'LLM'],
  [/^execute_tool/, 'TOOL'],
  [/^approval/, 'GUARDRAIL'],
  [/^human_input/, 'CHAIN'],
];
const STATUSES = ['UNSET', 'OK', 'ERROR'];

let phoenix: Phoenix;
beforeAll(async () => {
  phoenix = await Phoenix.start(process.env.E2E_PHOENIX_PYTHON ?? '');
}, 150_000);
afterAll(() => phoenix.stop());

const projectOf = (recording: string) => recording.replaceAll(/[/.]/g, '-');

async function sendAll(spans: readonly ReadableSpan[], project: string): Promise<void> {
  const exporter = phoenixExporter({ baseUrl: phoenix.url, project, env: {} });
  const processor = new LosslessSpanProcessor({ exporter });
  for (const span of spans) processor.onEnd(span);
  await processor.shutdown();
  expect(processor.lastError).toBeUndefined();
}

/** A field of an attribute that Phoenix may give flat or nested. */
function at(attributes: PhoenixSpan['attributes'], path: string): unknown {
  if (path in attributes) return attributes[path];
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], attributes);
}

const millis = ([seconds, nanos]: readonly [number, number]) => seconds * 1e3 + nanos / 1e6;

/** Phoenix has a session once, in the project where it came first, and some recordings share one. */
const sessionsOfOthers = new Set<string>();

describe.each(RECORDINGS)('%s in Phoenix', (recording) => {
  const project = projectOf(recording);
  const sent = recordedSpans(recording, 'full');
  let spans: ReadonlyMap<string, PhoenixSpan>;

  beforeAll(async () => {
    await sendAll(sent, project);
    const got = await phoenix.spans(project, sent.length);
    spans = new Map(got.map((span) => [span.context.span_id, span]));
    expect(got).toHaveLength(sent.length);
  });

  const inPhoenix = (span: ReadableSpan) => spans.get(span.spanContext().spanId) as PhoenixSpan;

  it('has every span where it belongs, with its kind, times and status', () => {
    for (const span of sent) {
      const got = inPhoenix(span);
      expect(got.name).toBe(span.name);
      expect(got.context.trace_id).toBe(span.spanContext().traceId);
      expect(got.parent_id).toBe(span.parentSpanContext?.spanId ?? null);
      expect(got.span_kind).toBe(KINDS.find(([name]) => name.test(span.name))?.[1]);
      expect(got.status_code).toBe(STATUSES[span.status.code]);
      expect(Date.parse(got.start_time)).toBe(Math.floor(millis(span.startTime)));
    }
  });

  it('has the tokens of every request, and of nothing else', () => {
    for (const span of sent) {
      const { attributes } = inPhoenix(span);
      const usage = (name: string) => span.attributes[`gen_ai.usage.${name}`];
      const [input, output] = [usage('input_tokens'), usage('output_tokens')];
      expect(at(attributes, 'llm.token_count.prompt')).toBe(input);
      expect(at(attributes, 'llm.token_count.completion')).toBe(output);
      const total = input === undefined || output === undefined ? undefined : Number(input) + Number(output);
      expect(at(attributes, 'llm.token_count.total')).toBe(total);
      expect(at(attributes, 'llm.token_count.prompt_details.cache_read')).toBe(usage('cache_read.input_tokens'));
      expect(at(attributes, 'llm.token_count.completion_details.reasoning')).toBe(usage('reasoning.output_tokens'));
    }
  });

  it('has the messages of every request', () => {
    for (const span of sent.filter(({ name }) => name.startsWith('chat'))) {
      const { attributes } = inPhoenix(span);
      const said = (name: string) =>
        JSON.parse(String(span.attributes[name] ?? '[]')) as { role: string; parts: { type: string }[] }[];
      const input = said('gen_ai.input.messages');
      if (input.length === 0 || attributes['hermes.export.left_out_attributes'] !== undefined) continue;
      const roles = messagesOf(attributes, 'input').map(({ role }) => role);
      const wanted = input.flatMap(({ role, parts }) => {
        const answers = parts.filter(({ type }) => type === 'tool_call_response');
        return [...(answers.length === parts.length && answers.length > 0 ? [] : [role]), ...answers.map(() => 'tool')];
      });
      const hasPrompt = span.attributes['gen_ai.system_instructions'] !== undefined && wanted[0] !== 'system';
      expect(roles).toEqual(hasPrompt ? ['system', ...wanted] : wanted);
      expect(messagesOf(attributes, 'output')).toHaveLength(said('gen_ai.output.messages').length);
    }
  });

  it('says why calls were not let through, which are no errors', () => {
    const refused = sent.filter(({ attributes }) =>
      /^(blocked|cancelled)$/.test(String(attributes['hermes.tool.status'])),
    );
    for (const span of refused) {
      const { status_code: code, status_message: message } = inPhoenix(span);
      expect(code).toBe('UNSET');
      expect(message).toMatch(/^(blocked|cancelled)/);
    }
    if (/d-tool-blocked|p2-approval-deny/.test(recording)) expect(refused.length).toBeGreaterThan(0);
  });

  it('has one session for each of the agent, with the traces of its turns', async () => {
    const wanted = new Map<string, Set<string>>();
    for (const span of sent) {
      const session = span.attributes['gen_ai.conversation.id'];
      if (span.parentSpanContext !== undefined || session === undefined || sessionsOfOthers.has(String(session)))
        continue;
      const traces = wanted.get(String(session)) ?? new Set();
      wanted.set(String(session), traces.add(span.spanContext().traceId));
    }
    const sessions = await phoenix.sessions(project);
    const got = new Map(
      sessions.map(({ session_id: id, traces }) => [id, new Set(traces.map(({ trace_id }) => trace_id))]),
    );
    for (const session of wanted.keys()) sessionsOfOthers.add(session);
    expect(got).toEqual(wanted);
  });
});

/** Messages as Phoenix gives them: a list, or attributes with numbers in their names. */
function messagesOf(attributes: PhoenixSpan['attributes'], side: 'input' | 'output'): { role: unknown }[] {
  const list = at(attributes, `llm.${side}_messages`);
  if (Array.isArray(list)) {
    return list.map((message: Record<string, unknown>) => ({ role: at(message, 'message.role') }));
  }
  const roles: { role: unknown }[] = [];
  for (let i = 0; ; i++) {
    const role = attributes[`llm.${side}_messages.${i}.message.role`];
    if (role === undefined) return roles;
    roles.push({ role });
  }
}

it('takes what replay sends, under the names that are asked for', async () => {
  const command = ['packages/cli/bin/hermes-observer.js', 'replay', `conformance/recordings/${REPLAYED}.ndjson`];
  const env = {
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_RESOURCE_ATTRIBUTES: 'openinference.project.name=replayed',
  };
  const to = ['--profile', 'openinference', '--endpoint', phoenix.url];
  expect(await runNode([...command, ...to], { env })).toMatchObject({ code: 0 });
  const spans = await phoenix.spans('replayed', recordedSpans(REPLAYED, 'none').length);
  expect(new Set(spans.map(({ span_kind: kind }) => kind))).toEqual(new Set(['AGENT', 'LLM', 'TOOL']));
});
