// Type-checked in an app of its own with `skipLibCheck: false`: what the packages publish must stand by itself. The app's
// SDK takes the place of this one.

import { type HookMeta, Hub, type PostToolCall, parseRecord } from '@hermes-observer/core';
import { hookSchemas } from '@hermes-observer/core/schema';
import { SegmentLog } from '@hermes-observer/core/segments';
import { type Capture, createObserver, type Observer, ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import type { SpoolDelivery } from '@hermes-observer/otel/spool';
import { trace } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';

class Exporter implements SpanExporter {
  readonly names: string[] = [];
  export(spans: ReadableSpan[], done: (result: { code: number }) => void): void {
    this.names.push(...spans.map((span) => span.name));
    done({ code: 0 });
  }
  async shutdown(): Promise<void> {}
}

class Processor implements SpanProcessor {
  onStart(): void {}
  onEnd(span: ReadableSpan): void {
    span.spanContext();
  }
  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

const capture: Capture = 'redacted';
export const observer: Observer = createObserver({
  capture,
  exporters: [new Exporter(), { exporter: new Exporter(), capture: 'none' }],
  processors: [new Processor()],
  beforeExport: (span) => (span.name === 'x' ? null : span),
});
export const injected: Observer = createObserver({ tracerProvider: trace.getTracerProvider() });
export const bridge = new SpanBridge({
  tracerProvider: new ObserverTracerProvider({ spanProcessors: [new Processor()] }),
});

const hub = new Hub();
hub.on('post_tool_call', (payload: PostToolCall, meta: HookMeta) => `${payload.tool_name} ${meta.timeUnixNano}`);
hub.on('some_new_hook', (payload) => payload.anything);
export const parsed = parseRecord('{}').error?.code;
export const answer: Promise<number> = observer.turn({ sessionId: 's' }, async (turn) => {
  const text: string = await turn.tool({ name: 'read', args: { path: 'x' } }, async () => 'content');
  return text.length;
});
export const toolName: string | null | undefined = hookSchemas.post_tool_call.parse({}).tool_name;
export const log: Promise<SegmentLog> = SegmentLog.open('folder');
export const waiting = (delivery: SpoolDelivery): number => delivery.counts.waitingSpans;
