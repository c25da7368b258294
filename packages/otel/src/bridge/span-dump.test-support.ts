import { compareTime, type HookRecord, type HrTime } from '@hermes-observer/core';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { AssemblyLimits } from '../assembly/limits.js';
import type { Capture } from '../attributes/capture.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { createResource } from '../provider/resource.js';
import { SpanBridge } from './span-bridge.js';

/** A span as plain data: all that an exporter would see of it. */
export interface DumpedSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | undefined;
  /** The parent is a span of the caller, outside of the records. */
  readonly remoteParent: boolean;
  readonly name: string;
  readonly kind: number;
  readonly start: HrTime;
  readonly end: HrTime;
  readonly status: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly unknown[];
  readonly links: readonly { readonly trace: string; readonly id: string; readonly attributes: unknown }[];
}

/** Keeps every span that ends, and how many started. */
export class DumpProcessor implements SpanProcessor {
  started = 0;
  readonly ended: ReadableSpan[] = [];

  onStart(_span: ReadableSpan): void {
    this.started++;
  }

  onEnd(span: ReadableSpan): void {
    this.ended.push(span);
  }

  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

export function dumpSpan(span: ReadableSpan): DumpedSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    trace: traceId,
    id: spanId,
    parent: span.parentSpanContext?.spanId,
    remoteParent: span.parentSpanContext?.isRemote === true,
    name: span.name,
    kind: span.kind,
    start: span.startTime,
    end: span.endTime,
    status: span.status,
    attributes: { ...span.attributes },
    events: span.events.map(({ name, time, attributes }) => ({ name, time, attributes: { ...attributes } })),
    links: span.links.map(({ context, attributes }) => ({
      trace: context.traceId,
      id: context.spanId,
      attributes: { ...attributes },
    })),
  };
}

export interface ReplayOptions {
  readonly capture?: Capture;
  readonly limits?: Partial<AssemblyLimits>;
  readonly onError?: (error: unknown) => void;
  readonly agentName?: string;
  readonly caller?: 'parent' | 'link';
}

/** A bridge onto our provider, with what came out of it. */
export class Replay {
  readonly processor = new DumpProcessor();
  readonly bridge: SpanBridge;

  constructor(options: ReplayOptions = {}) {
    const provider = new ObserverTracerProvider({
      resource: createResource({ 'service.name': 'test' }),
      spanProcessors: [this.processor],
    });
    this.bridge = new SpanBridge({ tracerProvider: provider, ...options });
  }

  get spans(): DumpedSpan[] {
    return this.processor.ended.map(dumpSpan);
  }
}

/** Replays records to their end. */
export function replay(records: readonly HookRecord[], options: ReplayOptions = {}): Replay {
  const run = new Replay(options);
  for (const record of records) run.bridge.handleRecord(record);
  run.bridge.closeAll();
  return run;
}

/** Spans by trace and span id, to compare two replays whatever the order they ended in. */
export function byId(spans: readonly DumpedSpan[]): Record<string, DumpedSpan> {
  const all = spans.map((span) => [`${span.trace}/${span.id}`, span] as const);
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What is wrong with the trees of a replay that came to its end; empty when nothing is. */
export function treeFaults({ processor, bridge }: Replay): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  const spans = processor.ended.map(dumpSpan);
  if (processor.started !== processor.ended.length) {
    faults.push(`${processor.started} spans started, ${processor.ended.length} ended`);
  }
  if (bridge.openSpans !== 0 || bridge.openTraces !== 0) faults.push('spans are open after closeAll');
  if (bridge.stats.faults !== 0) faults.push(`${bridge.stats.faults} records could not be read`);
  for (const { trace, id, name } of spans) {
    const key = `${trace}/${id}`;
    if (ids.has(key)) faults.push(`the id of "${name}" is used twice in its trace`);
    ids.add(key);
  }
  const roots = new Map<string, number>();
  for (const span of spans) {
    const { trace, parent, name } = span;
    if (parent === undefined || span.remoteParent) roots.set(trace, (roots.get(trace) ?? 0) + 1);
    else if (!ids.has(`${trace}/${parent}`)) faults.push(`the parent of "${name}" is missing`);
    if (compareTime(span.end, span.start) < 0) faults.push(`"${name}" ends before its start`);
  }
  for (const { trace, name } of spans) {
    if (roots.get(trace) !== 1) faults.push(`the trace of "${name}" has ${roots.get(trace) ?? 0} roots`);
  }
  return faults;
}
