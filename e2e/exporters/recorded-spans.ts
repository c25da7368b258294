import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRecord } from '@hermes-observer/core';
import {
  type Capture,
  createResource,
  ObserverTracerProvider,
  type ReadableSpan,
  SpanBridge,
} from '@hermes-observer/otel';
import { TOP } from '../run-command.js';

const FOLDER = join(TOP, 'conformance/recordings');

/** Such as `0.22.2/c-parallel-tools`. */
export const recordingNames = (): string[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
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
  const resource = createResource({ 'service.name': 'hermes-agent' });
  const tracerProvider = new ObserverTracerProvider({ resource, spanProcessors: [collector] });
  const bridge = new SpanBridge({ tracerProvider, capture });
  for (const line of readFileSync(join(FOLDER, `${name}.ndjson`), 'utf8').split('\n')) {
    const { record } = line === '' ? {} : parseRecord(line);
    if (record !== undefined) bridge.handleRecord(record);
  }
  bridge.closeAll();
  return spans;
}
