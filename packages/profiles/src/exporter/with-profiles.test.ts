import { ObserverError } from '@hermes-observer/core';
import { createObserver, OtlpHttpExporter, type ReadableSpan } from '@hermes-observer/otel';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { recordedSpans, spanWith } from '../mapping/spans.test-support.js';
import { withProfiles } from './with-profiles.js';

it('is the exporter itself but for what it is given', async () => {
  const exporter = withProfiles(new OtlpHttpExporter({ url: 'http://127.0.0.1:1/v1/traces', env: {} }), ['langfuse']);
  expect(exporter).toBeInstanceOf(OtlpHttpExporter);
  expect(exporter.name).toBe('http://127.0.0.1:1/v1/traces');
  expect(exporter.constructor).toBe(OtlpHttpExporter);
  expect(exporter.lostSpans).toBe(0);
  await exporter.forceFlush();
  await exporter.shutdown();
});

it('works with an exporter of the SDK, on spans of the SDK', async () => {
  const memory = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(withProfiles(memory, ['openinference']))],
  });
  const observer = createObserver({ tracerProvider: provider, capture: 'none' });
  observer.hub.emit('pre_llm_call', { session_id: 's1', turn_id: 't1', model: 'm' });
  observer.hub.emit('on_session_end', { session_id: 's1', turn_id: 't1', completed: true });
  await observer.flush();
  expect(memory.getFinishedSpans().map(({ attributes }) => attributes)).toEqual([
    expect.objectContaining({ 'openinference.span.kind': 'AGENT', 'session.id': 's1' }),
  ]);
  await observer.shutdown();
});

it('works in an observer, which goes on giving others the spans as they are', async () => {
  const [plain, named] = [new InMemorySpanExporter(), new InMemorySpanExporter()];
  const observer = createObserver({ exporters: [plain, withProfiles(named, ['langfuse'])] as never });
  observer.hub.emit('pre_llm_call', { session_id: 's1', turn_id: 't1', model: 'm' });
  observer.hub.emit('on_session_end', { session_id: 's1', turn_id: 't1', completed: true });
  await observer.flush();
  expect(named.getFinishedSpans()[0]?.attributes['langfuse.observation.type']).toBe('agent');
  expect(
    Object.keys(plain.getFinishedSpans()[0]?.attributes ?? {}).filter((name) => name.startsWith('langfuse')),
  ).toEqual([]);
  await observer.shutdown();
});

it('gets spans from which secrets and content were taken already', async () => {
  const SECRET = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH';
  const names = ['openinference', 'langfuse'] as const;
  const [redacted, bare] = [new InMemorySpanExporter(), new InMemorySpanExporter()];
  const observer = createObserver({
    capture: 'full',
    redaction: {},
    exporters: [
      withProfiles(redacted, names) as never,
      { exporter: withProfiles(bare, names) as never, capture: 'none' },
    ],
  });
  const ids = { session_id: 's1', turn_id: 't1', tool_call_id: 'c1', tool_name: 'f', api_request_id: 'r1' };
  observer.hub.emit('pre_llm_call', { ...ids, model: 'm', user_message: `key ${SECRET}` });
  observer.hub.emit('pre_api_request', {
    ...ids,
    request: { body: { messages: [{ role: 'user', content: SECRET }] } },
  });
  observer.hub.emit('post_api_request', { ...ids, assistant_message: { content: `so ${SECRET}` } });
  observer.hub.emit('pre_tool_call', { ...ids, args: { token: SECRET } });
  observer.hub.emit('post_tool_call', { ...ids, result: SECRET, status: 'blocked', error_message: SECRET });
  observer.hub.emit('on_session_end', { ...ids, completed: true });
  await observer.flush();
  const textOf = (exporter: InMemorySpanExporter) =>
    JSON.stringify(
      exporter.getFinishedSpans().map(({ name, status, attributes, events }) => ({ name, status, attributes, events })),
    );
  expect(textOf(redacted)).toContain('langfuse.observation.input');
  expect(textOf(redacted)).not.toContain(SECRET.slice(0, 20));
  expect(textOf(bare)).toContain('langfuse.observation.type');
  expect(textOf(bare)).not.toMatch(/langfuse\.observation\.(in|out)put|input\.value|_messages\./);
  await observer.shutdown();
});

describe('a span that cannot be read', () => {
  it('goes as it is, and is counted', () => {
    const got: ReadableSpan[] = [];
    const exporter = withProfiles(
      {
        export(spans: ReadableSpan[], done: (result: { code: number }) => void) {
          got.push(...spans);
          done({ code: 0 });
        },
        shutdown: async () => {},
      },
      ['openinference'],
    );
    const bad = new Proxy(spanWith({}), {
      get: (target, name) => {
        if (name === 'attributes') throw new Error('no');
        return Reflect.get(target, name);
      },
    });
    exporter.export([bad, spanWith({ 'gen_ai.operation.name': 'chat' })], () => {});
    expect(got).toHaveLength(2);
    expect(got[0]).toBe(bad);
    expect(exporter.unmappedSpans).toBe(1);
  });
});

it('tells what was left out', () => {
  const exporter = withProfiles(new InMemorySpanExporter(), ['openinference'], { maxAttributes: 30 });
  const spans = recordedSpans('0.22.2/b-two-sequential-tools', 'full');
  exporter.export(spans as never, () => {});
  const told = exporter
    .getFinishedSpans()
    .map(({ attributes }) => Number(attributes['hermes.export.left_out_attributes'] ?? 0));
  expect(exporter.leftOutAttributes).toBe(told.reduce((sum, count) => sum + count, 0));
  expect(exporter.leftOutAttributes).toBeGreaterThan(0);
});

it.each([[[]], [['nobody']]])('refuses profiles that are none: %j', (names) => {
  const make = () => withProfiles(new InMemorySpanExporter(), names as never);
  expect(make).toThrow(ObserverError);
  expect(make).toThrow(expect.objectContaining({ code: 'HO_OPTION' }));
});
