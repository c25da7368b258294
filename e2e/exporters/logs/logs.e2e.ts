import { createObserver, type ObserverOptions } from '@hermes-observer/otel';
import { describe, expect, it } from 'vitest';
import { recordings } from '../../jaeger/recordings.js';
// @ts-expect-error what the suite of secrets plants is written without types
import { KINDS } from '../../secrets/kinds.mjs';
// @ts-expect-error
import { place, placementsOf } from '../../secrets/placements.mjs';
// @ts-expect-error
import { Random } from '../../secrets/random.mjs';
// @ts-expect-error
import { turnOf } from '../../secrets/records.mjs';
// @ts-expect-error
import { found } from '../../secrets/search.mjs';
import { emitRecord, recordsOf } from '../emit-recording.js';
import { SignalCollector } from '../signal-collector.js';

// Log records through `createObserver({ logs: true })`, OTLP and the real Collector into a file, beside the spans they are of.

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}
interface Log {
  readonly eventName?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly severityNumber?: number;
  readonly timeUnixNano?: string;
  readonly attributes?: readonly Attribute[];
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly Attribute[];
  readonly status?: { readonly code?: number };
}
type LogRequest = {
  readonly resourceLogs: readonly { readonly scopeLogs: readonly { readonly logRecords: readonly Log[] }[] }[];
};
type SpanRequest = {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
};

interface Got {
  readonly logs: readonly Log[];
  readonly spans: readonly Span[];
  readonly bytes: Buffer;
}

/** What the Collector has of a run, logs and spans. */
async function collected(
  options: ObserverOptions,
  feed: (observer: ReturnType<typeof createObserver>, env: Record<string, string>) => Promise<void>,
): Promise<Got> {
  const collector = await SignalCollector.start();
  try {
    const observer = createObserver({
      logs: true,
      env: { ...collector.env, OTEL_BLRP_SCHEDULE_DELAY: '50' },
      limits: { maxOpenTraces: 50_000 },
      onWarning: (text) => console.log(text),
      ...options,
    });
    await feed(observer, collector.env);
    await observer.shutdown();
    await collector.stop();
    return {
      logs: collector
        .requests<LogRequest>('logs')
        .flatMap(({ resourceLogs }) =>
          resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
        ),
      spans: collector
        .requests<SpanRequest>('traces')
        .flatMap(({ resourceSpans }) =>
          resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
        ),
      bytes: collector.logBytes(),
    };
  } finally {
    await collector.stop();
    collector.remove();
  }
}

const textOf = ({ attributes = [] }: Log | Span, name: string) =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

const keyOf = ({ traceId, spanId }: Log | Span) => `${traceId}/${spanId}`;

describe('logs of recordings', () => {
  it('join their spans, and there is one for each thing that happened', async () => {
    const { logs, spans } = await collected({ capture: 'full' }, async (observer) => {
      for (const { name, path } of recordings(process.env.E2E_FULL === '1')) {
        for (const record of recordsOf(path)) emitRecord(observer.hub, record, name);
        observer.hub.emit('observer_closed', { scope: 'all', reason: 'shutdown' });
        await observer.flush();
      }
    });
    const byKey = new Map(spans.map((span) => [keyOf(span), span]));
    expect(logs.length).toBeGreaterThan(50);
    expect(logs.filter((log) => !byKey.has(keyOf(log)))).toEqual([]);
    const of = (event: string) => logs.filter(({ eventName }) => eventName === event);
    const named = (start: string) => spans.filter(({ name }) => name.split(' ')[0] === start);
    const failed = (list: readonly Span[]) => list.filter(({ status }) => status?.code === 2);
    const counts = Object.fromEntries(
      [...new Set(logs.map(({ eventName }) => eventName))].map((event) => [event, of(event ?? '').length]),
    );
    console.log(`${spans.length} spans, ${logs.length} log records: ${JSON.stringify(counts)}`);
    expect(of('gen_ai.client.inference.operation.details').length).toBe(named('chat').length);
    expect(of('gen_ai.client.inference.exception').length).toBe(failed(named('chat')).length);
    expect(of('gen_ai.execute_tool.exception').length).toBe(failed(named('execute_tool')).length);
    expect(of('hermes.invoke_agent.exception').length).toBe(failed(named('invoke_agent')).length);
    expect(of('hermes.approval').length).toBe(named('approval').length);
    expect(of('hermes.approval').length).toBeGreaterThan(0);
    for (const log of logs) {
      const span = byKey.get(keyOf(log));
      const time = BigInt(log.timeUnixNano ?? 0);
      expect(
        time >= BigInt(span?.startTimeUnixNano ?? 0) && time <= BigInt(span?.endTimeUnixNano ?? 0),
        log.eventName,
      ).toBe(true);
    }
    // As values, which a span of these SDKs cannot have.
    const [details] = of('gen_ai.client.inference.operation.details').filter(({ attributes }) =>
      attributes?.some(({ key }) => key === 'gen_ai.input.messages'),
    );
    expect(details?.attributes?.find(({ key }) => key === 'gen_ai.input.messages')?.value).toHaveProperty('arrayValue');
  });
});

describe('planted secrets', () => {
  const random = new Random(7);
  const planted: { kind: string; needles: string[] }[] = [];
  const turns: { hook: string; payload: Record<string, unknown> }[][] = [];
  for (const [k, kind] of KINDS.entries()) {
    const { text, needles } = kind.make(random);
    planted.push({ kind: kind.name, needles });
    const places = placementsOf(kind, text);
    const key = kind.isFree && !text.includes('\n') ? text : undefined;
    turns.push(
      turnOf({ id: `p-${k}`, plant: () => place(random.pick(places), text), key, inIds: false, keepsWords: false }),
    );
  }
  const feed = async (observer: ReturnType<typeof createObserver>) => {
    for (const [i, records] of turns.entries()) {
      for (const { hook, payload } of records) observer.hub.emit(hook, payload, { producer: `p${i}` });
    }
    await observer.flush();
  };
  const kindsIn = ({ bytes }: Got) => new Set(found(bytes, planted).map(({ kind }: { kind: string }) => kind));

  it('are in the logs with everything captured, so that the search would find them', async () => {
    const got = await collected({ capture: 'full' }, feed);
    expect(kindsIn(got).size).toBeGreaterThan(KINDS.length * 0.9);
    expect(new Set(got.logs.map(({ eventName }) => eventName))).toContain('gen_ai.evaluation.result');
  });

  it('are in no log without content', async () => {
    const got = await collected({ capture: 'none' }, feed);
    expect(got.logs.length).toBeGreaterThan(KINDS.length);
    expect(found(got.bytes, planted)).toEqual([]);
  });

  it('are in no log where they are redacted', async () => {
    for (const options of [{ capture: 'redacted' }, { capture: 'full', redaction: {} }] as const) {
      const got = await collected(options, feed);
      expect(got.logs.length).toBeGreaterThan(KINDS.length);
      expect(found(got.bytes, planted)).toEqual([]);
    }
  });
});

describe('evaluations', () => {
  it('are joined to the span that they judge, whoever sends them', async () => {
    const ids = { session_id: 's', turn_id: 'judged-turn' };
    const { logs, spans } = await collected({}, async (observer, env) => {
      observer.hub.emit('pre_llm_call', ids);
      observer.hub.emit('pre_tool_call', { ...ids, tool_call_id: 'c', tool_name: 'read_file' });
      observer.hub.emit('post_tool_call', { ...ids, tool_call_id: 'c', tool_name: 'read_file', status: 'ok' });
      observer.hub.emit('on_session_end', { ...ids, completed: true });
      observer.hub.emit('observer_evaluation', {
        ...ids,
        tool_call_id: 'c',
        name: 'helpful',
        score: 0.9,
        label: 'pass',
      });
      // Another process has seen nothing of that turn.
      const other = createObserver({ logs: true, env, onWarning: () => {} });
      other.hub.emit('observer_evaluation', { ...ids, tool_call_id: 'c', name: 'late', score: 0.1 });
      await other.shutdown();
    });
    const judged = spans.find(({ name }) => name === 'execute_tool read_file');
    const results = logs.filter(({ eventName }) => eventName === 'gen_ai.evaluation.result');
    expect(results.map((log) => textOf(log, 'gen_ai.evaluation.name')).sort()).toEqual(['helpful', 'late']);
    for (const result of results) expect(keyOf(result)).toBe(keyOf(judged as Span));
  });
});
