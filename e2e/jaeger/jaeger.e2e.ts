import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spanMetricBuckets, spanMetricDimensions } from '../collector-file.js';
import { TOP } from '../run-command.js';
import { exportOverGrpc } from './grpc-export.js';
import { asKept, unexpectedWarnings } from './jaeger-changes.js';
import { samplesOf } from './prometheus-text.js';
import { demoPaths, recordings } from './recordings.js';
import { sendSpans, traceIdsOf } from './sent-spans.js';
import { spanDifferences } from './span-differences.js';
import type { SpanFacts } from './span-facts.js';
import { callsBy, countsOfSamples, countsOfSpans } from './span-metrics.js';
import { Stack } from './stack.js';
import { tracesWith } from './traces-with.js';
import { waitFor } from './wait-for.js';

const chosen = recordings(process.env.E2E_FULL === '1');
const [again] = chosen;
const page = readFileSync(join(TOP, 'docs/jaeger.md'), 'utf8');
let stack: Stack;
/** Spans of every run of the command, those sent twice twice. */
const sent: SpanFacts[] = [];

beforeAll(async () => {
  stack = await Stack.start(process.env.E2E_PROGRAMS ?? '');
});
afterAll(() => stack?.stop());

async function send(args: readonly string[]): Promise<SpanFacts[]> {
  const spans = await sendSpans(args, stack.endpoint);
  sent.push(...spans);
  return spans;
}

/** The spans that Jaeger shows of the traces of `spans`, once it has as many as were sent. */
async function shown(spans: readonly SpanFacts[]): Promise<SpanFacts[]> {
  const ids = traceIdsOf(spans);
  await waitFor(`Jaeger has not all of ${spans.length} spans`, async () => {
    const stored = await Promise.all(ids.map((id) => stack.jaeger.trace(id, { raw: true })));
    return stored.flat().length >= spans.length || undefined;
  });
  return (await Promise.all(ids.map((id) => stack.jaeger.trace(id)))).flat();
}

const argsOf = ({ path, capture }: (typeof chosen)[number]) => ['replay', path, '--capture', capture];

describe('what was sent is in Jaeger as it is in the file', () => {
  it('demo --endpoint', async () => {
    const spans = await send(['demo']);
    expect(traceIdsOf(spans)).toHaveLength(demoPaths().length);
    expect(traceIdsOf(spans)).toContain(/\/trace\/(\w+)/.exec(page)?.[1]);
    expect(spanDifferences(asKept(spans), await shown(spans))).toEqual([]);
  });

  it.each(chosen.map((recording) => [recording.name, recording.capture, recording] as const))(
    '%s, capture %s',
    async (_name, _capture, recording) => {
      const spans = await send(argsOf(recording));
      expect(spans.length).toBeGreaterThan(0);
      expect(spanDifferences(asKept(spans), await shown(spans))).toEqual([]);
    },
  );

  it('is there once when it was sent twice', async () => {
    if (again === undefined) throw new Error('no recordings');
    const before = await stack.collectorCount('otelcol_exporter_sent_spans');
    const spans = await send(argsOf(again));
    await stack.delivered();
    expect(await stack.collectorCount('otelcol_exporter_sent_spans')).toBe(before + spans.length);
    expect(spanDifferences(asKept(spans), await shown(spans))).toEqual([]);
  });

  it('has warnings only on work that leaves its parent and on spans without length', async () => {
    const warnings = (await Promise.all(traceIdsOf(sent).map((id) => stack.jaeger.warnings(id)))).flat();
    expect(unexpectedWarnings(asKept(sent), warnings)).toEqual([]);
    const clocks = warnings.filter(({ text }) => text.startsWith('clock')).length;
    console.log(`warnings: ${clocks} of clocks, ${warnings.length - clocks} of spans without length`);
  });
});

describe('the search', () => {
  it('knows the service', async () => {
    expect(await stack.jaeger.services()).toEqual([serviceName()]);
  });

  const tags = [...page.matchAll(/^\| `([\w.]+)=(\w+)` \|/gm)].map(([, key = '', value = '']) => [key, value] as const);

  it.each(tags)('finds %s=%s', async (key, value) => {
    const traces = tracesWith(sent, key, value);
    expect(traces.length).toBeGreaterThan(0);
    expect(await stack.jaeger.find(serviceName(), { [key]: value })).toEqual(traces);
  });

  it('finds the turns of a session', async () => {
    const [id = ''] = sent.flatMap(({ attributes }) => attributes['gen_ai.conversation.id'] ?? []);
    const tag = { 'gen_ai.conversation.id': JSON.parse(id) as string };
    expect(await stack.jaeger.find(serviceName(), tag)).toEqual(
      tracesWith(sent, 'gen_ai.conversation.id', JSON.parse(id)),
    );
  });
});

describe('while Jaeger is away', () => {
  it('the Collector keeps what it is given', async () => {
    if (again === undefined) throw new Error('no recordings');
    await stack.stopJaeger();
    const before = await stack.collectorCount('otelcol_exporter_sent_spans');
    const spans = await send(argsOf(again));
    await waitFor(
      'the Collector has not tried to send',
      async () => stack.collectorLog.includes('Exporting failed') || undefined,
    );
    expect(await stack.collectorCount('otelcol_exporter_sent_spans')).toBe(before);
    await stack.startJaeger();
    await stack.delivered();
    expect(spanDifferences(asKept(spans), await shown(spans))).toEqual([]);
  });
});

describe('the Collector', () => {
  it('takes OTLP over gRPC too', async () => {
    expect(await exportOverGrpc(stack.grpcEndpoint)).toBe('0');
  });

  it('counts calls and durations by every dimension', async () => {
    const wanted = countsOfSpans(sent, spanMetricDimensions);
    const calls = (counts: ReadonlyMap<string, { calls: number }>) =>
      Object.fromEntries([...counts].map(([labels, count]) => [labels, count.calls]).sort());
    const samples = await waitFor('the calls are not all counted', async () => {
      const now = samplesOf(await stack.spanMetrics());
      const total = [...countsOfSamples(now).values()].reduce((sum, { calls }) => sum + calls, 0);
      return total >= sent.length ? now : undefined;
    });
    const counted = countsOfSamples(samples);
    expect(calls(counted)).toEqual(calls(wanted));
    for (const [labels, { seconds }] of wanted) expect(counted.get(labels)?.seconds, labels).toBeCloseTo(seconds, 6);
    console.log('calls by operation:', callsBy(samples, 'gen_ai_operation_name'));
  });

  it('has the buckets of its file', async () => {
    const bounds = samplesOf(await stack.spanMetrics())
      .filter(({ name }) => name === 'traces_span_metrics_duration_seconds_bucket')
      .map(({ labels }) => Number(labels.le?.replace('+Inf', 'Infinity')));
    expect([...new Set(bounds)].sort((a, b) => a - b)).toEqual([...spanMetricBuckets, Number.POSITIVE_INFINITY]);
  });

  it('refused and lost nothing', async () => {
    await stack.delivered();
    expect(await stack.collectorCount('otelcol_receiver_accepted_spans')).toBe(sent.length);
    for (const loss of [
      'otelcol_receiver_refused_spans',
      'otelcol_exporter_send_failed_spans',
      'otelcol_exporter_enqueue_failed_spans',
    ]) {
      expect(await stack.collectorCount(loss), loss).toBe(0);
    }
    expect(stack.collectorLog.split('\n').filter((line) => line.includes('deprecated'))).toEqual([]);
  });
});

const serviceName = () => JSON.parse(sent[0]?.resource['service.name'] ?? '""') as string;
