import { type EndedSpan, KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { createObserver, type Observer, type ObserverOptions } from '@hermes-observer/otel';

type Payload = Readonly<Record<string, unknown>>;

/** An observer for a test of an adapter, and what it was told. */
export interface Observed {
  readonly observer: Observer;
  /** What the adapter told the user, if it is given `onWarning`. */
  readonly warnings: string[];
  readonly onWarning: (text: string) => void;
  payloads(hook: string): Payload[];
  /** Shuts the observer down. */
  spans(): Promise<readonly EndedSpan[]>;
  tree(): Promise<string[]>;
}

export function observing(options: ObserverOptions = {}): Observed {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept as never], env: {}, onWarning: () => {}, ...options });
  const warnings: string[] = [];
  const hooks: [string, Payload][] = [];
  observer.hub.on('*', (payload, { hook }) => {
    hooks.push([hook, payload as Payload]);
  });
  const spans = async () => {
    await observer.shutdown();
    return kept.spans;
  };
  return {
    observer,
    warnings,
    onWarning: (text) => void warnings.push(text),
    payloads: (hook) => {
      observer.hub.deliverWaiting();
      return hooks.filter(([name]) => name === hook).map(([, payload]) => payload);
    },
    spans,
    tree: async () => spanTree(await spans()),
  };
}
