import type { Hub } from '@hermes-observer/core';
import type { Context, MeterProvider } from '@opentelemetry/api';
import type { SpanIds } from '../assembly/assembler.js';
import type { Capture } from '../attributes/capture.js';
import { loadPeer } from '../sdk/peer.js';
import type { LoggerProvider, ReadableSpan, Resource, SpanProcessor } from '../sdk/types.js';

/** What metrics and logs are made of. */
export interface SignalSettings {
  readonly metrics: true | MeterProvider | undefined;
  readonly logs: true | LoggerProvider | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly resource: Resource;
  /** What is taken out of a span before it becomes log records: content, what `beforeExport` says, secrets. */
  readonly screen: ((span: ReadableSpan) => ReadableSpan | null) | undefined;
  /** The same for the labels of metrics: secrets alone, since what is left out of an export counts all the same. */
  readonly redact: ((span: ReadableSpan) => ReadableSpan) | undefined;
  readonly capture: Capture;
  readonly warn: (text: string) => void;
}

/** Metrics and logs that are open. */
export interface Signals {
  readonly processors: readonly SpanProcessor[];
  /** Where the observer's own figures go too. */
  readonly meterProvider: MeterProvider | undefined;
  /** Begins to hear records that make no spans. Returns what ends it. */
  attach(hub: Pick<Hub, 'on'>, contextOf: (ids: SpanIds) => Context | undefined): () => void;
  flush(): Promise<void>;
  /** Closes what was opened here, and flushes what was given. */
  shutdown(): Promise<void>;
}

/** Our own package, which stands above this one: known by its name and this shape alone. @throws ObserverError `HO_PEER_MISSING`, `HO_OPTION` */
export const openSignals = (settings: SignalSettings): Signals =>
  loadPeer<{ openSignals(settings: SignalSettings): Signals }>(
    '@hermes-observer/signals',
    'metrics or logs',
  ).openSignals(settings);
