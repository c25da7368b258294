import type { ReadableSpan, SpanProcessor } from '@hermes-observer/otel';
import { semconv } from '@hermes-observer/otel';
import type { MeterProvider } from '@opentelemetry/api';
import { Deferred } from '../deferred.js';
import { kindOf } from '../span-kind.js';
import { OpenAgents } from './open-agents.js';
import { Recorder } from './recorder.js';
import { SpanMeasures } from './span-measures.js';

export interface MetricSpanProcessorOptions {
  /** Sets of labels of one list of names; what is over it goes to an overflow series. @default 1500 */
  readonly maxSeries?: number | undefined;
  /** Takes secrets out of what becomes labels. Asked once a series. @default nothing is taken out */
  readonly redact?: ((span: ReadableSpan) => ReadableSpan) | undefined;
  /** Measure on a later turn of the event loop, so that no agent waits for it. `forceFlush()` does what is left. @default true */
  readonly isDeferred?: boolean | undefined;
  /** Told of what a meter threw, at most once. @default nobody */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** `SpanKind.CLIENT`. */
const CLIENT = 2;

/** A span that started, ended, or ended and is not to be measured. */
type Step = readonly [span: ReadableSpan, stage: 'start' | 'end' | 'muted'];

/**
 * A standard span processor that measures ended spans, with the instruments of the GenAI conventions and our own. It sees
 * what is recorded: for spans that a sampler drops, these have to be recorded all the same (`RecordingSampler`).
 */
export class MetricSpanProcessor implements SpanProcessor {
  readonly #recorder: Recorder;
  readonly #measures: SpanMeasures;
  readonly #agents = new OpenAgents();
  readonly #onError: (error: unknown) => void;
  readonly #steps: Deferred<Step> | undefined;
  #hasFailed = false;
  /** Spans that were not measured, or not as a whole: something threw. */
  failedSpans = 0;
  /** While true, spans that end are not measured: they were before. What is open is followed all the same. */
  isMuted = false;

  constructor(
    meterProvider: MeterProvider,
    { maxSeries, redact, isDeferred = true, onError = () => {} }: MetricSpanProcessorOptions = {},
  ) {
    this.#steps = isDeferred ? new Deferred(([span, stage]) => this.#take(span, stage)) : undefined;
    this.#recorder = new Recorder(meterProvider, maxSeries);
    this.#measures = new SpanMeasures(this.#recorder, redact);
    this.#onError = onError;
  }

  /** Sets of labels that are kept, and measurements that went to overflow series. */
  get seriesCounts(): { readonly known: number; readonly overflowed: number } {
    return this.#recorder.seriesCounts;
  }

  /** Turns, child agents and tool calls that are open. */
  get openSpans(): number {
    return this.#agents.size;
  }

  onStart(span: ReadableSpan): void {
    // Nothing hangs below a request.
    if (span.kind === CLIENT) return;
    if (this.#steps === undefined) this.#take(span, 'start');
    else this.#steps.add([span, 'start']);
  }

  onEnd(span: ReadableSpan): void {
    const stage = this.isMuted ? 'muted' : 'end';
    if (this.#steps === undefined) this.#take(span, stage);
    else this.#steps.add([span, stage]);
  }

  async forceFlush(): Promise<void> {
    this.#steps?.drain();
  }

  async shutdown(): Promise<void> {
    this.#steps?.drain();
  }

  #take(span: ReadableSpan, stage: Step[1]): void {
    try {
      if (stage === 'start') this.#follow(span);
      else this.#measure(span, stage === 'muted');
    } catch (error) {
      this.failedSpans++;
      if (!this.#hasFailed) this.#onError(error);
      this.#hasFailed = true;
    }
  }

  #follow(span: ReadableSpan): void {
    const kind = kindOf(span);
    if (kind === 'agent') {
      const name = span.attributes[semconv.ATTR_GEN_AI_AGENT_NAME];
      this.#agents.startAgent(span.spanContext().spanId, typeof name === 'string' ? name : undefined);
    } else if (kind === 'tool' && span.parentSpanContext !== undefined) {
      this.#agents.startTool(span.spanContext().spanId, span.parentSpanContext.spanId);
    }
  }

  #measure(span: ReadableSpan, isMuted: boolean): void {
    const kind = kindOf(span);
    if (kind === undefined) return;
    const { spanId } = span.spanContext();
    const run = kind === 'agent' ? this.#agents.endAgent(spanId) : undefined;
    const by = kind === 'tool' ? this.#agents.endTool(spanId) : undefined;
    const parent = span.parentSpanContext === undefined ? undefined : this.#agents.agent(span.parentSpanContext.spanId);
    // Only what hangs right below an agent is its own: no calls of its children, none from inside another tool.
    if (parent !== undefined && kind === 'tool') parent.toolCalls++;
    if (parent !== undefined && kind === 'chat' && !(semconv.ATTR_HERMES_AUX_TASK in span.attributes)) {
      parent.inferenceCalls++;
    }
    if (isMuted) return;
    switch (kind) {
      case 'chat':
        this.#measures.chat(span);
        break;
      case 'tool':
        this.#measures.tool(span, by?.name);
        break;
      case 'agent':
        this.#measures.agent(span, run);
        break;
      default:
        this.#measures.wait(span, kind);
    }
    if (semconv.ATTR_HERMES_INCOMPLETE in span.attributes) this.#measures.incomplete(span);
  }
}
