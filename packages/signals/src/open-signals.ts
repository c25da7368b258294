import { ObserverError, redactText } from '@hermes-observer/core';
import type { Capture, ObserverTracerProviderOptions, ReadableSpan, SpanProcessor } from '@hermes-observer/otel';
import type { MeterProvider } from '@opentelemetry/api';
import { type EvaluationOptions, recordEvaluations } from './logs/evaluation.js';
import type { LoggerProvider } from './logs/log-record.js';
import { LogSpanProcessor } from './logs/log-span-processor.js';
import { MetricSpanProcessor } from './metrics/metric-span-processor.js';
import { CountedLogs } from './providers/counted-logs.js';
import { openLoggerProvider } from './providers/logger-provider.js';
import { openMeterProvider } from './providers/meter-provider.js';

export interface SignalSettings {
  readonly metrics: true | MeterProvider | undefined;
  readonly logs: true | LoggerProvider | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of providers that are made here. */
  readonly resource: NonNullable<ObserverTracerProviderOptions['resource']>;
  readonly screen: ((span: ReadableSpan) => ReadableSpan | null) | undefined;
  readonly redact: ((span: ReadableSpan) => ReadableSpan) | undefined;
  readonly capture: Capture;
  readonly warn: (text: string) => void;
}

/** A provider that can be asked to flush and to close, as those of the SDK can. */
interface Closable {
  forceFlush?(): Promise<void>;
  shutdown?(): Promise<void>;
}

/** Metrics and logs of one observer. `createObserver` opens them, by the name of this package; see `Signals` there. */
export interface OpenSignals {
  readonly processors: readonly SpanProcessor[];
  readonly meterProvider: MeterProvider | undefined;
  attach(hub: Parameters<typeof recordEvaluations>[0], contextOf: EvaluationOptions['contextOf']): () => void;
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}

/**
 * Opens what the options `metrics` and `logs` of `createObserver` ask for.
 * @throws ObserverError `HO_PEER_MISSING` for a package that is needed, `HO_OPTION` for an option that is no provider
 */
export function openSignals(settings: SignalSettings): OpenSignals {
  const { metrics, logs, env, resource, screen, redact, capture, warn } = settings;
  for (const [name, given, method] of [
    ['metrics', metrics, 'getMeter'],
    ['logs', logs, 'getLogger'],
  ] as const) {
    const isGood = given === undefined || given === true || typeof (given as never)?.[method] === 'function';
    if (!isGood) throw new ObserverError('HO_OPTION', `${name} must be true, or a provider with ${method}().`);
  }
  const meterProvider = metrics === true ? told(() => openMeterProvider(env, resource, warn), warn) : metrics;
  const counts = new CountedLogs();
  const loggerProvider = logs === true ? told(() => openLoggerProvider(env, resource, counts, warn), warn) : logs;
  const failed = (what: string) => (error: unknown) => warn(`${what} failed: ${String(error)}`);
  const processors: SpanProcessor[] = [];
  if (meterProvider !== undefined) {
    processors.push(new MetricSpanProcessor(meterProvider, { redact, onError: failed('metrics') }));
  }
  if (loggerProvider !== undefined) {
    processors.push(new LogSpanProcessor(loggerProvider, { screen, onError: failed('logs') }));
  }
  const all = [meterProvider, loggerProvider] as readonly (Closable | undefined)[];
  const own = [metrics === true ? meterProvider : undefined, logs === true ? loggerProvider : undefined];
  const tellDropped = () => {
    const dropped = counts.dropped();
    if (dropped > 0) warn(`log records that were dropped, since more came at once than may wait: ${dropped}.`);
  };
  return {
    processors,
    meterProvider,
    attach: (hub, contextOf) =>
      loggerProvider === undefined
        ? () => {}
        : recordEvaluations(hub, {
            loggerProvider,
            contextOf,
            capture,
            redact: redact === undefined ? undefined : redactText,
          }),
    async flush() {
      for (const processor of processors) await processor.forceFlush();
      await Promise.allSettled(all.map((provider) => provider?.forceFlush?.()));
      tellDropped();
    },
    async shutdown() {
      await Promise.allSettled(
        all.map((provider) => (own.includes(provider as never) ? provider?.shutdown?.() : provider?.forceFlush?.())),
      );
      tellDropped();
    },
  };
}

/** A variable may have been set for another program: what is wrong with it is told, and keeps nothing from starting. */
function told<T>(open: () => T, warn: (text: string) => void): T | undefined {
  try {
    return open();
  } catch (error) {
    if (!ObserverError.isInstance(error) || error.code !== 'HO_OPTION') throw error;
    warn(error.message);
    return undefined;
  }
}
