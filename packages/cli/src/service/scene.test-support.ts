import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HookRecord, parseRecord } from '@hermes-observer/core';
import {
  JSON_ENCODING,
  ObserverTracerProvider,
  observerResource,
  SpanBridge,
  TraceRequests,
  withLength,
} from '@hermes-observer/otel';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ServiceOptions } from './options.js';
import type { RecordBatch } from './ports.js';
import { Service } from './service.js';
import { spansOf } from './sink.test-support.js';

const RECORDINGS = new URL('../../../../conformance/recordings/0.22.2/', import.meta.url);

export function recording(name: string): string[] {
  return readFileSync(new URL(`${name}.ndjson`, RECORDINGS), 'utf8')
    .trim()
    .split('\n');
}

/** Lines of a recording with producers, sessions and turns of their own: as if another agent had done the same. */
export function asAnother(lines: readonly string[], mark: string): string[] {
  const ids = new Set<string>();
  for (const line of lines) {
    const { producer, payload } = JSON.parse(line) as { producer?: string; payload: Record<string, unknown> };
    if (producer !== undefined) ids.add(producer);
    for (const key of ['session_id', 'child_session_id', 'turn_id', 'parent_session_id', 'task_id']) {
      if (typeof payload[key] === 'string' && payload[key] !== '') ids.add(payload[key]);
    }
  }
  let text = lines.join('\n');
  for (const id of [...ids].sort((a, b) => b.length - a.length)) {
    text = text.replaceAll(`"${id}"`, `"${id}${mark}"`);
  }
  return text.split('\n');
}

export function batch(lines: readonly string[]): RecordBatch {
  const records = lines.map((line) => parseRecord(line).record).filter((record) => record !== undefined);
  return { lines: lines.map((line) => Buffer.from(line)), records };
}

/** The spans that a replay of records makes, without those that only its end closes, as the service writes them. */
export function replayed(
  lines: readonly string[],
  { closeAll = false, kind = 'http' as 'http' | 'file' } = {},
): string[] {
  const memory = new InMemorySpanExporter();
  const bridge = new SpanBridge({
    tracerProvider: new ObserverTracerProvider({
      resource: observerResource(undefined, {}),
      spanProcessors: [new SimpleSpanProcessor(memory)],
    }),
  });
  for (const line of lines) bridge.handleRecord(parseRecord(line).record as HookRecord);
  if (closeAll) bridge.closeAll();
  const requests = new TraceRequests(JSON_ENCODING, 2 ** 22, kind === 'http' ? withLength : undefined);
  return [...requests.of(memory.getFinishedSpans())]
    .flatMap(({ body }) => spansOf(Buffer.from(body).toString()))
    .map((span) => JSON.stringify(span))
    .sort();
}

/** A data folder, and services that are opened in it one after the other. */
export class Scene {
  readonly folder = mkdtempSync(join(tmpdir(), 'service-'));
  readonly warnings: string[] = [];
  service: Service | undefined;

  async open(options: Partial<ServiceOptions> = {}): Promise<Service> {
    this.service = await Service.open({
      dataFolder: this.folder,
      syncMillis: 10,
      onWarning: (text) => this.warnings.push(text),
      ...options,
    });
    return this.service;
  }

  async end(): Promise<void> {
    await this.service?.stop(1_500);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Resolves when something is so. @throws Error after `millis`. */
export async function until(isSo: () => boolean, millis = 10_000): Promise<void> {
  const end = performance.now() + millis;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`not so in ${millis} ms: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
