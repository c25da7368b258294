import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseRecord } from '@hermes-observer/core';
import {
  type Capture,
  createResource,
  ObserverTracerProvider,
  type ReadableSpan,
  SpanBridge,
} from '@hermes-observer/otel';
import type { Attributes } from '@opentelemetry/api';

const RECORDINGS = fileURLToPath(new URL('../../../../conformance/recordings/', import.meta.url));

/** Such as `0.22.2/c-parallel-tools`. */
export const recordingNames = (): string[] =>
  readdirSync(RECORDINGS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => name.slice(0, -'.ndjson'.length))
    .sort();

/** The ended spans of a recording, in the order in which they ended. */
export function recordedSpans(name: string, capture: Capture): ReadableSpan[] {
  const spans: ReadableSpan[] = [];
  const collector = {
    onStart() {},
    onEnd: (span: ReadableSpan) => void spans.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const bridge = new SpanBridge({
    tracerProvider: new ObserverTracerProvider({
      resource: createResource({ 'service.name': 'hermes-agent' }),
      spanProcessors: [collector],
    }),
    capture,
  });
  for (const line of readFileSync(`${RECORDINGS}${name}.ndjson`, 'utf8').split('\n')) {
    if (line === '') continue;
    const { record } = parseRecord(line);
    if (record !== undefined) bridge.handleRecord(record);
  }
  bridge.closeAll();
  return spans;
}

/** A span with these attributes; `changes` are further fields. */
export function spanWith(attributes: Attributes, changes: Partial<ReadableSpan> = {}): ReadableSpan {
  const context = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };
  return {
    name: 'a span',
    kind: 0,
    spanContext: () => context,
    startTime: [1_700_000_000, 0],
    endTime: [1_700_000_002, 0],
    status: { code: 0 },
    attributes,
    links: [],
    events: [],
    duration: [2, 0],
    ended: true,
    resource: createResource({ 'service.name': 'test' }),
    instrumentationScope: { name: 'test' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    ...changes,
  };
}

/** Of a request of this model, with further attributes. */
export const chatWith = (attributes: Attributes, changes: Partial<ReadableSpan> = {}): ReadableSpan =>
  spanWith({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm-1', ...attributes }, changes);

/** Messages of text, oldest first. */
export const texts = (...messages: readonly (readonly [role: string, text: string])[]): string =>
  JSON.stringify(messages.map(([role, content]) => ({ role, parts: [{ type: 'text', content }] })));
