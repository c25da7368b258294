import { copySpan, createResource, JSON_ENCODING, type ReadableSpan, TraceRequests } from '@hermes-observer/otel';
import { langfuseProfile, type Profile, type ProfileName, profilesOf, SpanMapper } from '@hermes-observer/profiles';
import { describe, expect, it } from 'vitest';
import { recordedSpans, recordingNames } from '../recorded-spans.js';
import { type Observation, observationsOf, tracesOf } from './langfuse-display.js';

const ALL = recordingNames();
const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

/** What Langfuse shows of spans under the names of these profiles. */
function shown(
  spans: readonly ReadableSpan[],
  profiles: readonly (ProfileName | Profile)[] = ['langfuse'],
): Observation[] {
  const mapper = new SpanMapper(profilesOf(profiles, {}));
  const requests = new TraceRequests(JSON_ENCODING, 100_000_000);
  const bodies = [...requests.of(spans.map((span) => mapper.map(span)))].map(({ body }) =>
    Buffer.from(body).toString(),
  );
  return observationsOf(bodies.flatMap((body) => (JSON.parse(body) as { resourceSpans: unknown[] }).resourceSpans));
}

const usageOf = ({ attributes }: ReadableSpan, name: string) => Number(attributes[`gen_ai.usage.${name}`] ?? 0);

describe('of every recording Langfuse shows', () => {
  it('each span once, below its parent, with the times it has', () => {
    for (const name of ALL) {
      const spans = recordedSpans(name, 'none');
      const observations = new Map(shown(spans).map((observation) => [observation.id, observation]));
      expect(observations.size).toBe(spans.length);
      for (const span of spans) {
        const observation = observations.get(span.spanContext().spanId);
        expect(observation?.parentId).toBe(span.parentSpanContext?.spanId);
        expect(observation?.startTime).toBe(
          new Date(span.startTime[0] * 1e3 + Math.floor(span.startTime[1] / 1e6)).toISOString(),
        );
      }
    }
  });

  it('agents, generations, tools, guardrails and spans', () => {
    const types = new Map<string, Set<string>>();
    for (const name of ALL) {
      for (const span of shown(recordedSpans(name, 'none'))) {
        const kind = span.metadata.attributes as Record<string, string>;
        const operation = kind['gen_ai.operation.name'] ?? 'none';
        types.set(operation, (types.get(operation) ?? new Set()).add(span.type));
      }
    }
    expect(types).toEqual(
      new Map([
        ['chat', new Set(['generation'])],
        ['invoke_agent', new Set(['agent'])],
        ['execute_tool', new Set(['tool'])],
        ['none', new Set(['guardrail', 'span'])],
      ]),
    );
  });

  it.each([[['langfuse']], [['genai', 'openinference', 'langfuse']], [['openinference']], [['genai']]] as const)(
    'the tokens of the provider, none of them twice: %j',
    (profiles) => {
      for (const name of ALL) {
        const spans = recordedSpans(name, 'none');
        const traces = tracesOf(shown(spans, profiles));
        for (const [id, { usage }] of traces) {
          const own = spans.filter((span) => span.spanContext().traceId === id);
          const total = sum(own.map((span) => usageOf(span, 'input_tokens') + usageOf(span, 'output_tokens')));
          const { total: told = 0, ...parts } = usage;
          expect({ name, total: told }).toEqual({ name, total });
          expect({ name, total: sum(Object.values(parts)) }).toEqual({ name, total });
          expect(usage.input_cached_tokens ?? 0).toBe(sum(own.map((span) => usageOf(span, 'cache_read.input_tokens'))));
          expect(usage.output_reasoning_tokens ?? 0).toBe(
            sum(own.map((span) => usageOf(span, 'reasoning.output_tokens'))),
          );
        }
      }
    },
  );

  it('usage on generations alone', () => {
    for (const name of ALL) {
      for (const { type, usage, model, cost } of shown(recordedSpans(name, 'none'))) {
        if (type !== 'generation') expect({ usage, model, cost }).toEqual({ usage: {}, model: undefined, cost: {} });
      }
    }
  });

  it('one session a trace, that of its root, and every trace with a name', () => {
    for (const name of ALL) {
      const spans = recordedSpans(name, 'none');
      for (const [id, trace] of tracesOf(shown(spans))) {
        const root = spans.find((span) => span.spanContext().traceId === id && span.parentSpanContext === undefined);
        const session = root?.attributes['gen_ai.conversation.id'];
        expect([...trace.sessionIds]).toEqual(session === undefined ? [] : [session]);
        expect(trace.name).toEqual(expect.stringMatching(/./));
      }
    }
  });

  it('what was blocked, denied or broken off as a warning, and what failed as an error', () => {
    let warnings = 0;
    for (const name of ALL) {
      const spans = new Map(recordedSpans(name, 'none').map((span) => [span.spanContext().spanId, span]));
      for (const { id, level, statusMessage } of shown([...spans.values()])) {
        const { attributes, status } = spans.get(id) as ReadableSpan;
        const isRefused = ['blocked', 'cancelled'].includes(String(attributes['hermes.tool.status']));
        const isBroken =
          attributes['hermes.turn.outcome'] === 'interrupted' || attributes['hermes.incomplete'] === true;
        const isDenied = ['deny', 'timeout'].includes(String(attributes['hermes.approval.choice']));
        if (status.code === 2) expect(level).toBe('ERROR');
        else if (isRefused || isBroken || isDenied) {
          warnings++;
          expect(level).toBe('WARNING');
          expect(statusMessage).toMatch(/\w/);
        } else if (level === 'ERROR') expect.unreachable();
      }
    }
    expect(warnings).toBeGreaterThan(40);
  });

  it('content where it was captured, and none where not', () => {
    for (const name of ALL) {
      for (const { type, input } of shown(recordedSpans(name, 'none'))) {
        expect([type, input]).toEqual([type, undefined]);
      }
    }
    const inputs = shown(recordedSpans('0.22.2/b-two-sequential-tools', 'full'));
    for (const { type, input, output } of inputs) {
      expect([type, input, output]).toEqual([type, expect.any(String), expect.any(String)]);
      if (type === 'generation')
        expect(JSON.parse(String(input))[0]).toMatchObject({ role: 'system', content: expect.any(String) });
    }
  });
});

it('with all names at once Langfuse shows what it shows of its own', () => {
  for (const name of ALL) {
    const spans = recordedSpans(name, 'redacted');
    const facts = (profiles: readonly ProfileName[]) =>
      shown(spans, profiles).map(({ metadata: _, sessionId: __, ...rest }) => rest);
    expect(facts(['genai', 'openinference', 'langfuse'])).toEqual(facts(['langfuse']));
  }
});

it('environment, release, user, tags and metadata are where they were put', () => {
  const spans = recordedSpans('0.22.2/k-delegate-one-child-sync', 'none');
  const options = {
    environment: 'Staging',
    release: 'r-7',
    userId: 'u-1',
    tags: ['a', 'b'],
    metadata: { team: 'garden' },
  };
  const [trace] = tracesOf(shown(spans, [langfuseProfile(options)])).values();
  expect(trace).toMatchObject({
    name: 'hermes',
    environments: new Set(['staging']),
    releases: new Set(['r-7']),
    userIds: new Set(['u-1']),
    tags: ['a', 'b'],
  });
});

it('a user that the application names is the user, and costs are those of the span', () => {
  const [turn, ...others] = recordedSpans('0.22.2/a-one-turn-no-tool', 'none').toReversed();
  const chat = others.find(({ name }) => name.startsWith('chat'));
  if (turn === undefined || chat === undefined) throw new Error('no spans');
  const withMore = (span: ReadableSpan, more: object): ReadableSpan =>
    copySpan(span, { attributes: { ...span.attributes, ...more } });
  const cost = { 'hermes.cost.usd': 0.003, 'hermes.cost.input_usd': 0.001, 'hermes.cost.output_usd': 0.002 };
  const [trace] = tracesOf(shown([withMore(turn, { 'user.id': 'u-2' }), withMore(chat, cost)])).values();
  expect([...(trace?.userIds ?? [])]).toEqual(['u-2']);
  expect(trace?.cost).toEqual({ input: 0.001, output: 0.002, total: 0.003 });
  const [unknown] = tracesOf(shown([turn, withMore(chat, { ...cost, 'hermes.cost.status': 'unknown' })])).values();
  expect(unknown?.cost).toEqual({});
});

it('an environment of the resource is that of the traces', () => {
  const resource = createResource({ 'deployment.environment.name': 'production' });
  const spans = recordedSpans('0.22.2/a-one-turn-no-tool', 'none').map(
    (span): ReadableSpan => copySpan(span, { resource }),
  );
  for (const { environment } of shown(spans)) expect(environment).toBe('production');
});
