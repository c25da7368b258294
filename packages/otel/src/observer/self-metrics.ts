import type { Attributes, BatchObservableResult, MeterProvider, Observable } from '@opentelemetry/api';
import { SCOPE_NAME, SCOPE_VERSION } from '../bridge/scope.js';
import type { BatchingSpanProcessor } from '../pipeline/batching-span-processor.js';
import type { SpansByReason } from '../sdk/counted-result.js';
import type { SpanExporter } from '../sdk/types.js';
import { exportCounts } from './export-counts.js';
import type { Pipeline } from './pipeline.js';

const SPANS = '{span}';

/** Instruments by name, with whether they only rise: those of the OpenTelemetry SDK's own names mean the same here. */
const INSTRUMENTS = {
  'otel.sdk.span.started': [true, SPANS, 'Spans that were started and are recorded.'],
  'otel.sdk.span.live': [false, SPANS, 'Spans that were started and have not ended.'],
  'otel.sdk.processor.span.queue.size': [false, SPANS, 'Spans that wait for their export.'],
  'otel.sdk.processor.span.queue.capacity': [false, SPANS, 'Most spans that may wait.'],
  'otel.sdk.processor.span.processed': [true, SPANS, 'Spans handed to the exporter, or dropped.'],
  'otel.sdk.exporter.span.inflight': [false, SPANS, 'Spans the exporter has not answered for.'],
  'otel.sdk.exporter.span.exported': [true, SPANS, 'Spans the exporter has taken, or has not.'],
  'hermes.observer.queue.bytes': [false, 'By', 'Spans that wait or are being exported, about.'],
  'hermes.observer.queue.capacity_bytes': [false, 'By', 'Most bytes that may wait, about.'],
  'hermes.observer.span.left_out': [true, SPANS, 'Spans that beforeExport left out.'],
  'hermes.observer.span.cut': [true, SPANS, 'Spans sent with something cut off.'],
  'hermes.observer.export.retries': [true, '{request}', 'Requests that were sent again.'],
  'hermes.observer.spool.sent': [true, SPANS, 'Spans of the spool that a backend has taken.'],
  'hermes.observer.spool.lost': [true, SPANS, 'Spans of the spool given up, or not taken.'],
  'hermes.observer.spool.waiting': [false, SPANS, 'Spans that wait on disk.'],
  'hermes.observer.spool.waiting_bytes': [false, 'By', 'Bytes that wait on disk.'],
  'hermes.observer.redacted': [true, '{value}', 'Secrets and personal data taken out, by kind.'],
} as const satisfies Readonly<Record<string, readonly [rises: boolean, unit: string, description: string]>>;

type Name = keyof typeof INSTRUMENTS;
type Observe = (name: Name, value: number, attributes?: Attributes) => void;

/** One number a component, as the names of components ask for. */
const numbers = new Map<string, number>();

function component(type: string): Attributes {
  const number = numbers.get(type) ?? 0;
  numbers.set(type, number + 1);
  return { 'otel.component.type': type, 'otel.component.name': `${type}/${number}` };
}

/**
 * Gives `provider` the figures of a pipeline whenever it collects; nothing is done in between. They stay, so that the last
 * ones are collected after `shutdown()` too, for as long as somebody holds the pipeline.
 */
export function selfMetrics(provider: MeterProvider, pipeline: Pipeline): void {
  const meter = provider.getMeter(SCOPE_NAME, SCOPE_VERSION);
  const instruments = new Map<string, Observable>();
  for (const [name, [rises, unit, description]] of Object.entries(INSTRUMENTS)) {
    const kind = rises ? 'Counter' : 'UpDownCounter';
    instruments.set(name, meter[`createObservable${kind}`](name, { unit, description }));
  }
  // The pipeline is what its observer holds; the parts are of it.
  const held = new WeakRef(pipeline);
  const parts = new WeakMap([[pipeline, partsOf(pipeline)]]);
  const all = [...instruments.values()];
  const callback = (result: BatchObservableResult) => {
    const source = held.deref();
    if (source === undefined) return meter.removeBatchObservableCallback(callback, all);
    const observe: Observe = (name, value, attributes) => {
      const instrument = instruments.get(name);
      if (instrument !== undefined) result.observe(instrument, value, attributes);
    };
    observeProvider(source, observe);
    for (const { batch, exporter, of, to } of parts.get(source) ?? []) {
      observeBatches(batch, of, observe);
      observeExports(batch, exporter, to, observe);
    }
  };
  meter.addBatchObservableCallback(callback, all);
}

/** In a function of its own, so that nothing here is held by the callback above. */
function partsOf({ batches, exporters }: Pipeline) {
  return batches.map((batch, i) => {
    const exporter = exporters[i] as SpanExporter;
    return { batch, exporter, of: component('BatchingSpanProcessor'), to: component(nameOf(exporter)) };
  });
}

function observeProvider({ provider, redactor }: Pipeline, observe: Observe): void {
  const { started, ended } = provider.counts;
  observe('otel.sdk.span.started', started);
  observe('otel.sdk.span.live', started - ended);
  for (const [kind, values] of Object.entries(redactor?.counts ?? {})) {
    observe('hermes.observer.redacted', values, { 'hermes.redaction.kind': kind });
  }
}

function observeBatches(batch: BatchingSpanProcessor, of: Attributes, observe: Observe): void {
  const { spans, bytes } = batch.capacity;
  observe('otel.sdk.processor.span.queue.size', batch.queuedSpans, of);
  if (Number.isFinite(spans)) observe('otel.sdk.processor.span.queue.capacity', spans, of);
  observe('hermes.observer.queue.bytes', batch.pendingBytes, of);
  observe('hermes.observer.queue.capacity_bytes', bytes, of);
  observe('otel.sdk.processor.span.processed', batch.submittedSpans, of);
  byReason(observe, 'otel.sdk.processor.span.processed', batch.droppedByReason, of);
  observe('hermes.observer.span.left_out', batch.leftOutSpans, of);
}

function observeExports(batch: BatchingSpanProcessor, exporter: SpanExporter, to: Attributes, observe: Observe): void {
  observe('otel.sdk.exporter.span.inflight', batch.inFlightSpans, to);
  observe('otel.sdk.exporter.span.exported', batch.exportedSpans, to);
  byReason(observe, 'otel.sdk.exporter.span.exported', batch.failedByReason, to);
  const { cutSpans, retries, spool } = exportCounts([exporter]);
  observe('hermes.observer.span.cut', cutSpans, to);
  observe('hermes.observer.export.retries', retries, to);
  if (spool === undefined) return;
  observe('hermes.observer.spool.sent', spool.sentSpans, to);
  observe('hermes.observer.spool.waiting', spool.waitingSpans, to);
  observe('hermes.observer.spool.waiting_bytes', spool.waitingBytes, to);
  byReason(observe, 'hermes.observer.spool.lost', spool.lostByReason, to);
}

function byReason(observe: Observe, name: Name, counts: SpansByReason, of: Attributes): void {
  for (const [reason, spans] of Object.entries(counts)) {
    if (spans > 0) observe(name, spans, { ...of, 'error.type': reason });
  }
}

function nameOf(exporter: SpanExporter): string {
  try {
    return exporter.constructor.name || 'SpanExporter';
  } catch {
    return 'SpanExporter';
  }
}
