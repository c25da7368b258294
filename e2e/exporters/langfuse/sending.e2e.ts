import { copySpan, LosslessSpanProcessor, type OtlpHttpExporter, type ReadableSpan } from '@hermes-observer/otel';
import { type LangfuseExporterOptions, langfuseExporter } from '@hermes-observer/profiles';
import { afterEach, describe, expect, it } from 'vitest';
import { recordedSpans, recordingNames } from '../recorded-spans.js';
import { observationsOf } from './langfuse-display.js';
import { LangfuseServer, PUBLIC_KEY, SECRET_KEY } from './langfuse-server.js';

const KEYS = { LANGFUSE_PUBLIC_KEY: PUBLIC_KEY, LANGFUSE_SECRET_KEY: SECRET_KEY };

let langfuse: LangfuseServer;
afterEach(() => langfuse.stop());

async function sendAll(spans: readonly ReadableSpan[], options: LangfuseExporterOptions = {}) {
  const env = { ...KEYS, LANGFUSE_BASE_URL: langfuse.url, ...options.env };
  const exporter = langfuseExporter({ ...options, env });
  const processor = new LosslessSpanProcessor({ exporter });
  for (const span of spans) {
    processor.onEnd(span);
    await processor.ready();
  }
  // What was lost is told of there, and looked at here.
  await processor.shutdown().catch(() => {});
  const { leftOutAttributes } = exporter;
  const { lostSpans, cutSpans } = exporter as OtlpHttpExporter;
  return { counts: { lostSpans, cutSpans, leftOutAttributes }, lastError: processor.lastError };
}

const idsOf = (spans: readonly ReadableSpan[]) => spans.map((span) => span.spanContext().spanId).sort();
const idsShown = () =>
  observationsOf(langfuse.resourceSpans)
    .map(({ id }) => id)
    .sort();

describe('the preset', () => {
  it.each([
    [{}, 'application/x-protobuf', undefined],
    [{ protocol: 'http/json' }, 'application/json', undefined],
    [{ compression: 'gzip' }, 'application/x-protobuf', 'gzip'],
    [{ protocol: 'http/json', compression: 'gzip' }, 'application/json', 'gzip'],
  ] as const)('sends what Langfuse takes, of every recording: %j', async (options, contentType, encoding) => {
    langfuse = await LangfuseServer.start();
    const spans = recordingNames().flatMap((name) => recordedSpans(name, 'full'));
    const { counts, lastError } = await sendAll(spans, options);
    expect(lastError).toBeUndefined();
    expect(counts).toMatchObject({ lostSpans: 0, cutSpans: 0, leftOutAttributes: 0 });
    expect(langfuse.refused).toEqual([]);
    expect(new Set(langfuse.taken.map((request) => request.contentType))).toEqual(new Set([contentType]));
    expect(new Set(langfuse.taken.map((request) => request.encoding))).toEqual(new Set([encoding]));
    expect(new Set(langfuse.taken.map((request) => request.ingestionVersion))).toEqual(new Set(['4']));
    expect(Math.max(...langfuse.taken.map((request) => request.unpackedBytes))).toBeLessThanOrEqual(3_500_000);
    expect(idsShown()).toEqual(idsOf(spans));
  });

  it('says the same in protobuf and in JSON', async () => {
    const shown = [];
    for (const protocol of ['http/protobuf', 'http/json'] as const) {
      langfuse = await LangfuseServer.start();
      await sendAll(recordedSpans('0.22.2/n-delegate-nested-sync', 'full'), { protocol });
      shown.push(observationsOf(langfuse.resourceSpans));
      langfuse.stop();
    }
    expect(shown[0]?.length).toBeGreaterThan(5);
    expect(shown[0]).toEqual(shown[1]);
  });

  it('splits what a proxy with a bound of its own refuses, and loses nothing', async () => {
    langfuse = await LangfuseServer.start({ maxBytes: 200_000 });
    const spans = recordedSpans('0.22.2/w-volume-30-turns-tui', 'full');
    const { counts } = await sendAll(spans);
    expect(langfuse.refused.length).toBeGreaterThan(0);
    expect(new Set(langfuse.refused.map(({ status }) => status))).toEqual(new Set([413]));
    expect(counts.lostSpans).toBe(0);
    expect(idsShown()).toEqual(idsOf(spans));
  });

  it('cuts a span that is too large alone, and its JSON is still JSON', async () => {
    langfuse = await LangfuseServer.start();
    const [span] = recordedSpans('0.22.2/a-one-turn-no-tool', 'full').filter(({ name }) => name.startsWith('chat'));
    if (span === undefined) throw new Error('no chat');
    const long = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'x'.repeat(5_000_000) }] }]);
    const attributes = { ...span.attributes, 'gen_ai.input.messages': long };
    const { counts } = await sendAll([copySpan(span, { attributes })]);
    expect(counts).toMatchObject({ lostSpans: 0, cutSpans: 1 });
    const [shown] = observationsOf(langfuse.resourceSpans);
    expect(langfuse.taken[0]?.unpackedBytes).toBeLessThanOrEqual(3_500_000);
    // The system prompt and the message.
    expect(JSON.parse(String(shown?.input))).toHaveLength(2);
    expect(shown?.usage.total).toBe(
      Number(span.attributes['gen_ai.usage.input_tokens']) + Number(span.attributes['gen_ai.usage.output_tokens']),
    );
  });

  it('with a wrong key loses spans, and says so', async () => {
    langfuse = await LangfuseServer.start();
    const options = { secretKey: 'sk-lf-wrong', retryMillis: 0 };
    const { counts, lastError } = await sendAll(recordedSpans('0.22.2/a-one-turn-no-tool', 'none'), options);
    expect(langfuse.taken).toEqual([]);
    expect(counts).toMatchObject({ lostSpans: 2 });
    expect(String(lastError)).toMatch(/401/);
  });
});
