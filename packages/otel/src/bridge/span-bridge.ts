import type { HookMeta, HookRecord, Payload } from '@hermes-observer/core';
import type { TracerProvider } from '@opentelemetry/api';
import { Assembler } from '../assembly/assembler.js';
import type { AssemblyLimits } from '../assembly/limits.js';
import type { IncompleteReason } from '../assembly/span-node.js';
import type { AssemblyStats } from '../assembly/stats.js';
import type { Capture } from '../attributes/capture.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { SpanWriter } from '../spans/span-writer.js';
import { SCOPE_NAME, SCOPE_SCHEMA_URL, SCOPE_VERSION } from './scope.js';

export interface SpanBridgeOptions {
  /** Where spans are written. Ours takes derived ids; any other of API 1.9 to 1.10 makes its own. */
  readonly tracerProvider: TracerProvider;
  /** Name of the agent whose turns these are. @default 'hermes' */
  readonly agentName?: string;
  /** How much content spans carry. @default 'none' */
  readonly capture?: Capture;
  /** How a turn relates to the span its caller was in. @default 'parent' */
  readonly caller?: 'parent' | 'link';
  readonly limits?: Partial<AssemblyLimits>;
  /** Told of what a tracer or processor threw; it never reaches the agent. */
  readonly onError?: (error: unknown) => void;
}

/** Part of the hub that the bridge needs: `Hub` of `@hermes-observer/core` is one. */
export interface HookSource {
  on(hook: '*', callback: (payload: Payload, meta: HookMeta) => void): () => void;
}

/** Hook calls in, spans out. Never throws. */
export class SpanBridge {
  readonly #assembler: Assembler;

  constructor(options: SpanBridgeOptions) {
    const { tracerProvider, agentName = 'hermes', capture = 'none', caller = 'parent', onError } = options;
    const writer = new SpanWriter({
      tracer: tracerProvider.getTracer(SCOPE_NAME, SCOPE_VERSION, { schemaUrl: SCOPE_SCHEMA_URL }),
      derivedIds: tracerProvider instanceof ObserverTracerProvider,
      agentName,
      capture,
      caller,
      ...(onError === undefined ? {} : { onError }),
    });
    this.#assembler = new Assembler(writer, options.limits);
  }

  /** Subscribes to every hook of a hub; returns the unsubscribe. */
  attach(source: HookSource): () => void {
    return source.on('*', (payload, meta) => this.#assembler.handle(payload, meta));
  }

  /** Takes one hook call; `meta.hook` names it. */
  handle(payload: Payload, meta: HookMeta): void {
    this.#assembler.handle(payload, meta);
  }

  /** Takes one record of a recording. */
  handleRecord(record: HookRecord): void {
    this.#assembler.handleRecord(record);
  }

  /** Ends all open spans, as at the end of a replay or at shutdown. */
  closeAll(reason: IncompleteReason = 'shutdown'): void {
    this.#assembler.closeAll(reason);
  }

  get stats(): Readonly<AssemblyStats> {
    return this.#assembler.stats;
  }

  get openSpans(): number {
    return this.#assembler.openSpans;
  }

  get openTraces(): number {
    return this.#assembler.openTraces;
  }
}
