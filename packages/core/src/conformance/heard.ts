import type { KeptSpans, TestObserver } from './scene.js';
import { type EndedSpan, spanTree } from './span-tree.js';

type Payload = Readonly<Record<string, unknown>>;

/** What an observer of a test heard, and made of it. */
export interface Heard {
  /** Of each call of the hook so far, in their order. */
  payloads(hook: string): Payload[];
  /** Shuts the observer down. */
  spans(): Promise<readonly EndedSpan[]>;
  /** Shuts the observer down. Lines as `spanTree` gives them. */
  tree(): Promise<string[]>;
}

/** Listens to an observer from now on. `kept` is the exporter that its spans go to. */
export function heardBy(observer: TestObserver, kept: KeptSpans): Heard {
  const hooks: [string, Payload][] = [];
  observer.hub.on('*', (payload, { hook }) => {
    hooks.push([hook, payload as Payload]);
  });
  const spans = async () => {
    await observer.shutdown();
    return kept.spans;
  };
  return {
    payloads: (hook) => {
      observer.hub.deliverWaiting();
      return hooks.filter(([name]) => name === hook).map(([, payload]) => payload);
    },
    spans,
    tree: async () => spanTree(await spans()),
  };
}
