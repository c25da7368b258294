import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';

/** Keeps ended spans until they are taken. */
export class SpanCollector implements SpanProcessor {
  /** Spans that end are let go of: they were written before. */
  isMuted = false;
  #spans: ReadableSpan[] = [];

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (!this.isMuted) this.#spans.push(span);
  }

  get size(): number {
    return this.#spans.length;
  }

  take(): ReadableSpan[] {
    const spans = this.#spans;
    this.#spans = [];
    return spans;
  }

  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}
