import type { Hub } from '../dispatch/hub.js';
import { SCRIPT } from './behaviours.js';
import type { EndedSpan } from './span-tree.js';

/** What an adapter is given. `Observer` is one. */
export interface TestObserver {
  readonly hub: Hub;
  traceContext(): { readonly traceparent?: string };
  shutdown(): Promise<void>;
}

/** Exporter of any OpenTelemetry SDK. */
export interface TestExporter {
  export(spans: readonly EndedSpan[], done: (result: { code: 0 | 1; error?: Error }) => void): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** Exporter that keeps spans; any OpenTelemetry SDK takes it. */
export class KeptSpans implements TestExporter {
  readonly spans: EndedSpan[] = [];

  export(spans: readonly EndedSpan[], done: (result: { code: 0 }) => void): void {
    this.spans.push(...spans);
    done({ code: 0 });
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

/** Where code of the play was when it called `scene.mark`. */
export interface Mark {
  readonly kind: 'model' | 'tool';
  /** Id of the span that was active; `undefined` where none was. */
  readonly spanId: string | undefined;
  readonly toolCallId: string | undefined;
}

interface MarkFunction {
  (kind: 'model'): void;
  (kind: 'tool', toolCallId: string): void;
}

/** What a play gets. */
export class PlayScene<O> {
  readonly script = SCRIPT;
  readonly marks: Mark[] = [];
  readonly #here: () => string | undefined;

  /** For agents that have a session: `script.session` is its id. */
  readonly observer: O;

  constructor(observer: O, here: () => string | undefined) {
    this.observer = observer;
    this.#here = here;
  }

  /**
   * To be called by the play's model, and by its tools with the id of the call: the right span must be active there. A play may
   * take it out of the scene.
   */
  readonly mark: MarkFunction = (kind, toolCallId?: string) => {
    this.marks.push({ kind, toolCallId, spanId: this.#here()?.split('-')[2] });
  };
}
