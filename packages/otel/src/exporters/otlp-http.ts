import { ObserverError } from '@hermes-observer/core';
import type { ExportResult, ReadableSpan, SpanExporter } from '../sdk/types.js';
import { loadJsonTraceSerializer } from './json-trace-serializer.js';
import type { Answer } from './otlp-answer.js';
import { OtlpHttpTransport } from './otlp-http-transport.js';
import { type TraceRequest, TraceRequests } from './trace-requests.js';
import { withLength } from './with-length.js';

export interface OtlpHttpExporterOptions {
  /** The full address, `/v1/traces` included. */
  readonly url: string;
  /** What messages call it. Default: `url` without credentials and query. */
  readonly name?: string;
  /** The most bytes of one request, before compression. Default: 4 MiB. */
  readonly maxRequestBytes?: number;
  /** How long one request may take, retries included, in milliseconds. Default: `OTEL_EXPORTER_OTLP_TIMEOUT`, else 10,000. */
  readonly timeoutMillis?: number;
  /** After so many batches in a row that did not reach the endpoint, further ones fail at once. Default: never. */
  readonly giveUpAfter?: number;
  /** Told once when that happens. */
  readonly onGiveUp?: (error: ObserverError) => void;
}

const SUCCESS = 0;
const FAILED = 1;
const DEFAULT_MAX_REQUEST_BYTES = 4 * 1024 * 1024;
/** What receivers say to a request that is too large, or that holds something they cannot read. */
const SPLIT_ON = new Set([400, 413]);
/** So many spans of a batch may be refused alone, with none taken before, until the batch is not split further. */
const MOST_REFUSED = 64;

/** A batch under way. */
interface Batch {
  readonly before: number;
  /** Spans that were refused alone. */
  refused: number;
  /** Splitting goes on while this many are refused and none is taken. */
  readonly patience: number;
}

/**
 * OTLP/JSON over HTTP, in requests of bounded size, that knows of every span whether it was taken. A request that is
 * refused with 400 or 413 is split until the span at fault is alone; that one is sent cut, and given up if that is
 * refused too. Spans that a partial success rejects are lost, and so are those of an answer that is a success and no
 * OTLP response (a web page, a cut body): nobody said that they were taken. An empty body and any JSON object are good.
 * A span without length is sent with one nanosecond, which is what backends make of it anyway.
 * Needs `@opentelemetry/otlp-transformer` and `@opentelemetry/otlp-exporter-base`, whose settings from
 * `OTEL_EXPORTER_OTLP_*` hold: headers, timeout, compression, certificates. Batches are sent one after the other.
 */
export class OtlpHttpExporter implements SpanExporter {
  readonly name: string;
  readonly #transport: OtlpHttpTransport;
  readonly #requests: TraceRequests;
  readonly #giveUpAfter: number;
  readonly #onGiveUp: (error: ObserverError) => void;
  #last: Promise<void> = Promise.resolve();
  #writtenSpans = 0;
  #lostSpans = 0;
  #missed = 0;
  #givenUp: ObserverError | undefined;
  #isShutdown = false;
  /** The batch before was split, and none of it was taken: the fault is not in single spans. */
  #splitInVain = false;

  /** @throws ObserverError `HO_PEER_MISSING`. */
  constructor(options: OtlpHttpExporterOptions) {
    this.name = options.name ?? nameOf(options.url);
    this.#requests = new TraceRequests(
      loadJsonTraceSerializer(),
      options.maxRequestBytes ?? DEFAULT_MAX_REQUEST_BYTES,
      withLength,
    );
    this.#transport = new OtlpHttpTransport(options.url, options.timeoutMillis);
    this.#giveUpAfter = options.giveUpAfter ?? Number.POSITIVE_INFINITY;
    this.#onGiveUp = options.onGiveUp ?? (() => {});
  }

  /** Spans the endpoint has taken. */
  get writtenSpans(): number {
    return this.#writtenSpans;
  }

  /** Spans that were handed over and not taken. */
  get lostSpans(): number {
    return this.#lostSpans;
  }

  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    this.#last = this.#last.then(async () => {
      const error = await this.#exportAll(spans);
      resultCallback(error === undefined ? { code: SUCCESS } : { code: FAILED, error });
    });
    // What the callback throws is not this exporter's.
    this.#last = this.#last.catch(() => {});
  }

  forceFlush(): Promise<void> {
    return this.#last;
  }

  async shutdown(): Promise<void> {
    this.#isShutdown = true;
    await this.#last;
    await this.#transport.close();
  }

  async #exportAll(spans: readonly ReadableSpan[]): Promise<Error | undefined> {
    const batch = { before: this.#writtenSpans, refused: 0, patience: this.#splitInVain ? 1 : MOST_REFUSED };
    let error: Error | undefined;
    try {
      if (this.#givenUp !== undefined) throw this.#givenUp;
      if (this.#isShutdown) throw new ObserverError('HO_EXPORT_FAILED', `${this.name} was closed by shutdown().`);
      for (const request of this.#requests.of(spans)) error = (await this.#deliver(request, batch)) ?? error;
      this.#missed = 0;
      if (batch.refused > 0) this.#splitInVain = this.#writtenSpans === batch.before;
    } catch (failure) {
      error = failure instanceof Error ? failure : new Error(String(failure));
    }
    const lost = spans.length - (this.#writtenSpans - batch.before);
    this.#lostSpans += lost;
    if (lost === 0) return undefined;
    return error ?? new ObserverError('HO_EXPORT_FAILED', `${this.name}: some spans cannot be written as OTLP/JSON.`);
  }

  /** The error of what was lost, if anything was. @throws ObserverError if the endpoint cannot be reached. */
  async #deliver(request: TraceRequest, batch: Batch): Promise<Error | undefined> {
    const answer = await this.#send(request);
    const { spans } = request;
    if (answer.kind !== 'refused' || !SPLIT_ON.has(answer.status)) return this.#errorOf(answer, spans.length);
    const [span] = spans;
    if (spans.length > 1) {
      if (this.#writtenSpans === batch.before && batch.refused >= batch.patience) return this.#errorOf(answer, 0);
      let error: Error | undefined;
      const middle = Math.ceil(spans.length / 2);
      for (const half of [spans.slice(0, middle), spans.slice(middle)]) {
        for (const part of this.#requests.of(half)) error = (await this.#deliver(part, batch)) ?? error;
      }
      return error;
    }
    if (span !== undefined && batch.refused < batch.patience) {
      for (const smaller of this.#requests.smaller(span, request.body.length)) {
        const second = await this.#send(smaller);
        if (second.kind === 'refused' && SPLIT_ON.has(second.status)) continue;
        return this.#errorOf(second, 1);
      }
    }
    batch.refused++;
    return this.#errorOf(answer, 1);
  }

  /** Counts what was taken. */
  async #send({ body, spans }: TraceRequest): Promise<Answer> {
    const answer = await this.#transport.send(body);
    if (answer.kind === 'unreachable') throw this.#missedOne(answer.error);
    if (answer.kind === 'taken') this.#writtenSpans += spans.length - Math.min(answer.rejected, spans.length);
    return answer;
  }

  #missedOne(cause: Error): ObserverError {
    this.#missed++;
    const error = new ObserverError('HO_EXPORT_FAILED', `${this.name} ${missedText(cause)}`, { cause });
    if (this.#missed >= this.#giveUpAfter && this.#givenUp === undefined) {
      this.#givenUp = error;
      this.#onGiveUp(error);
    }
    return error;
  }

  #errorOf(answer: Answer, spans: number): ObserverError | undefined {
    switch (answer.kind) {
      case 'taken': {
        const { rejected, message } = answer;
        if (rejected === 0) return undefined;
        const why = message === '' ? 'no reason given' : message;
        return this.#lost(`rejected ${Math.min(rejected, spans)} of ${spans} spans: ${why}`);
      }
      case 'unconfirmed':
        return this.#lost('answered with no OTLP response; check that the address is that of an OTLP/HTTP receiver');
      case 'refused': {
        const { error, status } = answer;
        return this.#lost(`refused spans: ${error.message || 'no reason given'} (HTTP ${status})`, error);
      }
      case 'unreachable':
        return this.#lost('cannot be reached', answer.error);
    }
  }

  #lost(text: string, cause?: Error): ObserverError {
    return new ObserverError('HO_EXPORT_FAILED', `${this.name} ${text}`, cause === undefined ? {} : { cause });
  }
}

function missedText(cause: Error): string {
  const { code, message, name } = cause as { code?: unknown; message: string; name: string };
  if (name === 'OTLPExporterError') return 'takes no spans now: it only answers to try again later';
  // The error of a host with several addresses has no message of its own.
  const reason = message || (typeof code === 'string' ? code : 'no reason given');
  return `cannot be reached: ${reason}; check the address and that a backend listens there`;
}

function nameOf(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href;
}
