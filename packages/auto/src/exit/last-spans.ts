import { OtlpHttpExporter, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@hermes-observer/otel';
import { writeSpans } from './span-transfer.js';

/** Spans that are remembered at most: with more, the oldest are left to the exporter alone. */
const MOST_SPANS = 5_000;
/** How long the end of a program may take for them. */
const MOST_MS = 2_000;

/**
 * Ended spans that the exporter has not answered for. A program that calls `process.exit`, or ends by an error, cannot wait for
 * an answer; so another process sends them, which it can wait for.
 */
export class LastSpans implements SpanProcessor {
  readonly #spans = new Set<ReadableSpan>();
  #url = '';
  /** As the exporter was made: a program may take its secrets out of there. */
  #env: NodeJS.ProcessEnv = {};
  #exporter: OtlpHttpExporter | undefined;

  /** An exporter over OTLP with the settings of the environment. @throws ObserverError for a wrong one. */
  exporterTo(url: string): SpanExporter {
    const spans = this.#spans;
    this.#url = url;
    this.#env = { ...process.env };
    this.#exporter = new (class extends OtlpHttpExporter {
      override export(batch: ReadableSpan[], done: Parameters<OtlpHttpExporter['export']>[1]): void {
        super.export(batch, (result) => {
          for (const span of batch) spans.delete(span);
          done(result);
        });
      }
    })({ url, retryMillis: 28_000, keepsAlive: false });
    return this.#exporter;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & 1) === 0) return;
    this.#spans.add(span);
    if (this.#spans.size <= MOST_SPANS) return;
    for (const oldest of this.#spans) {
      this.#spans.delete(oldest);
      return;
    }
  }

  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}

  /** Sends what is left, at the end of the program. Waits two seconds at most. Never throws. */
  send(): void {
    const spans = [...this.#spans];
    this.#spans.clear();
    if (spans.length === 0) return;
    const { name: place = 'the backend', trouble } = this.#exporter ?? {};
    try {
      const { spawnSync } = process.getBuiltinModule('node:child_process');
      const sender = process.getBuiltinModule('node:url').fileURLToPath(new URL('./send.js', import.meta.url));
      const { NODE_OPTIONS: _, ...env } = this.#env;
      const { status, stdout, error } = spawnSync(process.execPath, [sender, this.#url], {
        input: writeSpans(spans),
        env: { ...env, HERMES_OBSERVER_AUTO: 'off' },
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: MOST_MS,
        windowsHide: true,
      });
      if (status === 0) return;
      const late = `${place} did not answer in ${MOST_MS / 1_000} s`;
      tellLost(
        spans.length,
        String(stdout ?? '') || (trouble?.message ?? (isLate(error) ? late : `nothing could be sent to ${place}`)),
      );
    } catch (error) {
      tellLost(spans.length, `${place} was not asked: ${String(error)}`);
    }
  }
}

const isLate = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';

function tellLost(spans: number, reason: string): void {
  const what = spans === 1 ? 'the last span was' : `the last ${spans} spans were`;
  try {
    process.stderr.write(`@hermes-observer/auto: ${what} not exported: ${reason}\n`);
  } catch {
    // Nobody listens.
  }
}
