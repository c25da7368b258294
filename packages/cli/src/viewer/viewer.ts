import { fileURLToPath } from 'node:url';
import type { Capture, SpanProcessor } from '@hermes-observer/otel';
import type { ListenerContext } from '../listeners/listener-context.js';
import { Receiver } from '../receiver/receive-route.js';
import type { HistoryPort } from '../service/ports.js';
import { SpanFeed } from '../traces/span-feed.js';
import { TraceStore } from '../traces/trace-store.js';
import type { HealthAnswer, ServiceFacts } from '../wire.js';
import { Api } from './api.js';
import { forgetDeleted, HistoryRefill } from './history-refill.js';
import { StaticFiles } from './static-files.js';
import { ViewerRoutes } from './viewer-routes.js';

export interface ViewerSource {
  readonly history: HistoryPort & { settled(): Promise<void> };
  readonly capture: Capture;
  readonly agentName: string;
  readonly serviceName: string | undefined;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  /** What puts something on spans, as for the service; nothing that counts them, which has done so. */
  readonly processors: readonly SpanProcessor[];
  /** Where the same spans are found in a Jaeger UI. */
  readonly jaegerUrl: string | undefined;
}

/** Files of the page, as they lie in the package. */
export const pageFiles = (facts: ServiceFacts) =>
  new StaticFiles(fileURLToPath(new URL('../../viewer', import.meta.url)), facts);

/** The viewer of a service: its traces in memory, and the routes that show them. */
export class Viewer {
  readonly store = new TraceStore();
  /** Goes beside the service's own span processor. */
  readonly feed = new SpanFeed(this.store);
  #refill: HistoryRefill | undefined;

  /** Routes for the listener of a service, which also counts what is here. */
  routes(context: ListenerContext, { history, jaegerUrl }: ViewerSource): ViewerRoutes {
    const { store } = this;
    store.refuse(history.deletedTraces);
    const receiver = new Receiver(store, context);
    this.#count(context, receiver);
    const health = (): HealthAnswer => ({
      ...(JSON.parse(context.status()) as HealthAnswer),
      receiver: { ...receiver.counts },
      store: { traces: store.traces, spans: store.spans, bytes: store.bytes, ...store.counts },
      history: { records: this.#refill?.records ?? 0 },
      jaegerUrl: jaegerUrl ?? null,
    });
    const api = new Api({ store, history, health });
    return new ViewerRoutes({ store, api, files: pageFiles({ jaegerUrl: jaegerUrl ?? null, files: false }), receiver });
  }

  /** Makes traces of the journal's history again, in the background. Never rejects. */
  async refill(source: ViewerSource, warn: (text: string) => void): Promise<void> {
    const { history, capture, agentName, serviceName, resourceAttributes, processors } = source;
    try {
      // What the service goes on with is told of by the service.
      await history.settled();
      this.feed.flush();
      // Of a deletion before the viewer knew the session, it is not known which traces to refuse.
      forgetDeleted(this.store, history);
      const options = { capture, agentName, serviceName, resourceAttributes, processors };
      this.#refill = new HistoryRefill({ store: this.store, history, ...options });
      await this.#refill.run();
    } catch (error) {
      warn(`the viewer shows no turns from before the start: ${String(error)}`);
    }
  }

  stop(): void {
    this.#refill?.stop();
  }

  #count({ counts }: ListenerContext, receiver: Receiver): void {
    const { store } = this;
    counts.watch('viewer_traces', 'Traces that the viewer has in memory.', 'gauge', () => store.traces);
    counts.watch('viewer_spans', 'Spans that the viewer has in memory.', 'gauge', () => store.spans);
    counts.watch('viewer_bytes', 'About how much memory they take.', 'gauge', () => store.bytes);
    counts.watch(
      'viewer_evicted_spans',
      'Spans of ended traces that made room for newer ones.',
      'counter',
      () => store.counts.evictedSpans,
    );
    counts.watch(
      'viewer_left_out_spans',
      'Spans that the viewer had no room for.',
      'counter',
      () => store.counts.leftOutSpans,
    );
    counts.watch('received_spans', 'Spans that came over OTLP.', 'counter', () => receiver.counts.spans);
    counts.watch(
      'received_refused_spans',
      'Spans over OTLP that name no trace, or had no room.',
      'counter',
      () => receiver.counts.refusedSpans,
    );
  }
}
