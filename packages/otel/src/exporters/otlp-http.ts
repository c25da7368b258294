import { ObserverError } from '@hermes-observer/core';
import type { Encoding } from '../encoding/encoding.js';
import { JSON_ENCODING } from '../encoding/json-encoding.js';
import { PROTOBUF_ENCODING } from '../encoding/protobuf-encoding.js';
import { addTo, type CountedResult, type SpansByReason } from '../sdk/counted-result.js';
import type { ReadableSpan, SpanExporter } from '../sdk/types.js';
import { Backoff } from '../transport/backoff.js';
import type { HttpSettings } from '../transport/http-settings.js';
import { HttpTarget } from '../transport/http-target.js';
import { type Environment, type OtlpProtocol, otlpEnvironment } from '../transport/otlp-environment.js';
import { Patience } from '../transport/patience.js';
import { asksToSplit, MOST_REFUSED } from '../transport/refusal.js';
import type { Sent } from '../transport/span-target.js';
import { type TraceRequest, TraceRequests } from './trace-requests.js';
import { withLength } from './with-length.js';

export interface OtlpHttpExporterOptions extends HttpSettings {
  /** What errors call the endpoint. Default: `url` without credentials and query. */
  readonly name?: string;
  /** @default `OTEL_EXPORTER_OTLP_PROTOCOL`, else `http/protobuf` */
  readonly protocol?: OtlpProtocol | undefined;
  /** The most bytes of one request, before compression. Default: 4 MiB. */
  readonly maxRequestBytes?: number;
  /** How long one request is tried again while the endpoint is away or busy, in milliseconds. Default: `timeoutMillis`. */
  readonly retryMillis?: number | undefined;
  /** Whether the pause before a request is tried again keeps the program from its end. Default: `true`. */
  readonly keepsAlive?: boolean | undefined;
  /** After so many batches in a row that did not reach the endpoint, further ones fail at once. Default: never. */
  readonly giveUpAfter?: number;
  /** Told once when that happens. */
  readonly onGiveUp?: (error: ObserverError) => void;
  /** Where `OTEL_EXPORTER_OTLP_*` settings are read that are not given here. Default: `process.env`. */
  readonly env?: Environment;
}

const SUCCESS = 0;
const FAILED = 1;
const DEFAULT_MAX_REQUEST_BYTES = 4 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 10_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** What an answer has left to come, when the exporter is closed. */
const GRACE_MS = 500;

/** A batch under way. */
interface Batch {
  readonly before: number;
  /** Spans that were refused alone. */
  refused: number;
  /** What an answer said that was not taken. */
  readonly lost: Record<string, number>;
  /** Splitting goes on while this many are refused and none is taken. */
  readonly patience: number;
}

/**
 * OTLP over HTTP, in requests of bounded size, that knows of every span whether it was taken. A request that is
 * refused with 400 or 413 is split until the span at fault is alone; that one is sent cut, and given up if that is
 * refused too. One that meets nobody, or 408, 429, 502, 503 or 504, is sent again until `retryMillis` are over, as late
 * as `Retry-After` asks. Spans that a partial success rejects are lost, and so are those of an answer that is a success
 * and no OTLP response (a web page, say): nobody said that they were taken. An empty body is good.
 * A span without length is sent with one nanosecond, which is what backends make of it anyway.
 * Batches are sent one after the other. Needs no package of OpenTelemetry's SDK.
 */
export class OtlpHttpExporter implements SpanExporter {
  readonly name: string;
  readonly #encoding: Encoding;
  readonly #target: HttpTarget;
  readonly #requests: TraceRequests;
  readonly #patience: Patience;
  readonly #giveUpAfter: number;
  readonly #onGiveUp: (error: ObserverError) => void;
  readonly #closing = new AbortController();
  readonly #closed = new AbortController();
  #last: Promise<void> = Promise.resolve();
  #writtenSpans = 0;
  readonly #lost: Record<string, number> = {};
  #lostSpans = 0;
  #cutSpans = 0;
  #retries = 0;
  #missed = 0;
  /** Of the request under way. */
  #lastMiss: string | undefined;
  #givenUp: ObserverError | undefined;
  /** The batch before was split, and none of it was taken: the fault is not in single spans. */
  #splitInVain = false;

  /** @throws ObserverError `HO_OPTION` for a setting of the environment that is none of its kind. */
  constructor(options: OtlpHttpExporterOptions) {
    const settings = otlpSettings(options);
    const encoding: Encoding = settings.protocol === 'http/json' ? JSON_ENCODING : PROTOBUF_ENCODING;
    this.name = options.name ?? nameOf(options.url);
    this.#encoding = encoding;
    this.#target = new HttpTarget(settings);
    this.#requests = new TraceRequests(encoding, options.maxRequestBytes ?? DEFAULT_MAX_REQUEST_BYTES, withLength);
    this.#patience = new Patience(options.retryMillis ?? settings.timeoutMillis, options.keepsAlive ?? true);
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

  /**
   * The same by why: `refused` for good, `rejected` by a partial success, `unreachable`, `unwritable` as OTLP, `shutdown`.
   */
  get lostByReason(): SpansByReason {
    return this.#lost;
  }

  /** Spans that were taken with something cut off: they were too large, or refused as they were. */
  get cutSpans(): number {
    return this.#cutSpans;
  }

  /** Requests that were sent again. */
  get retries(): number {
    return this.#retries;
  }

  export(spans: ReadableSpan[], resultCallback: (result: CountedResult) => void): void {
    this.#last = this.#last.then(async () => resultCallback(await this.#exportAll(spans)));
    // What the callback throws is not this exporter's.
    this.#last = this.#last.catch(() => {});
  }

  forceFlush(): Promise<void> {
    return this.#last;
  }

  /** Why the request under way, if there is one, was not taken so far. */
  get trouble(): ObserverError | undefined {
    return this.#lastMiss === undefined ? undefined : this.#missedBy(this.#lastMiss);
  }

  /** Nothing that begins in the next `millis` is tried again for long: the program is about to end. @default for ever */
  hurry(millis?: number): void {
    this.#patience.hurry(millis);
  }

  /** Ends what is under way: nothing is sent again, and an answer that does not come soon is not waited for. */
  async shutdown(): Promise<void> {
    this.hurry();
    this.#closing.abort();
    const timer = setTimeout(() => this.#closed.abort(), GRACE_MS);
    await this.#last;
    clearTimeout(timer);
    await this.#target.close();
  }

  async #exportAll(spans: readonly ReadableSpan[]): Promise<CountedResult> {
    const patience = this.#splitInVain ? 1 : MOST_REFUSED;
    const batch: Batch = { before: this.#writtenSpans, refused: 0, patience, lost: {} };
    // Of what comes behind a failure; what no request holds, without one, cannot be written.
    let reason = this.#closing.signal.aborted ? 'shutdown' : 'unreachable';
    let error: Error | undefined;
    try {
      if (this.#givenUp !== undefined) throw this.#givenUp;
      if (this.#closing.signal.aborted) {
        throw new ObserverError('HO_EXPORT_FAILED', `${this.name} was closed by shutdown().`);
      }
      for (const request of this.#requests.of(spans)) error = (await this.#deliver(request, batch)) ?? error;
      reason = 'unwritable';
      this.#missed = 0;
      if (batch.refused > 0) this.#splitInVain = this.#writtenSpans === batch.before;
    } catch (failure) {
      error = failure instanceof Error ? failure : new Error(String(failure));
    }
    const lost = spans.length - (this.#writtenSpans - batch.before);
    if (lost === 0) return { code: SUCCESS };
    const known = Object.values(batch.lost).reduce((sum, count) => sum + count, 0);
    addTo(batch.lost, reason, lost - known);
    for (const [why, count] of Object.entries(batch.lost)) addTo(this.#lost, why, count);
    this.#lostSpans += lost;
    error ??= new ObserverError('HO_EXPORT_FAILED', `${this.name}: some spans cannot be written as OTLP.`);
    return { code: FAILED, error, lost: batch.lost };
  }

  /** The error of what was lost, if anything was. @throws ObserverError if the endpoint cannot be reached. */
  async #deliver(request: TraceRequest, batch: Batch): Promise<Error | undefined> {
    const answer = await this.#send(request);
    const { spans } = request;
    if (!asksToSplit(answer)) return this.#errorOf(answer, spans.length, batch);
    const [span] = spans;
    if (spans.length > 1) {
      if (this.#writtenSpans === batch.before && batch.refused >= batch.patience)
        return this.#errorOf(answer, spans.length, batch);
      let error: Error | undefined;
      const middle = Math.ceil(spans.length / 2);
      for (const half of [spans.slice(0, middle), spans.slice(middle)]) {
        error = (await this.#deliver(this.#requests.request(half), batch)) ?? error;
      }
      return error;
    }
    if (span !== undefined && batch.refused < batch.patience) {
      for (const smaller of this.#requests.smaller(span)) {
        const second = await this.#send(smaller);
        if (asksToSplit(second)) continue;
        return this.#errorOf(second, 1, batch);
      }
    }
    batch.refused++;
    return this.#errorOf(answer, 1, batch);
  }

  /** The answer that counts. Counts what was taken. @throws ObserverError if there is none. */
  async #send({ body, spans }: TraceRequest): Promise<Sent> {
    const sent = await this.#untilAnswered(body);
    if (sent.kind === 'unreachable' && sent.isFault !== true) throw this.#missedOne(sent.reason);
    if (sent.kind === 'taken') {
      this.#writtenSpans += spans.length - Math.min(sent.rejected, spans.length);
      for (const { isCut } of spans) if (isCut) this.#cutSpans++;
    }
    return sent;
  }

  async #untilAnswered(body: Uint8Array): Promise<Sent> {
    const { signal } = this.#closing;
    const backoff = new Backoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
    const begun = performance.now();
    try {
      for (;;) {
        const sent = await this.#target.send(body, this.#closed.signal, this.#encoding);
        if (sent.kind !== 'unreachable' || sent.isFault === true) return sent;
        // An answer that came to no end says less than the try before it.
        if (this.#closed.signal.aborted) return { ...sent, reason: this.#lastMiss ?? sent.reason };
        this.#lastMiss = sent.reason;
        const wait = backoff.wait(sent.waitMillis);
        // A receiver that asks for more than is left gets no answer earlier.
        if (signal.aborted || performance.now() + wait >= this.#patience.end(begun, isBusy(sent.reason))) return sent;
        this.#retries++;
        await this.#patience.pause(wait, signal);
        if (signal.aborted) return sent;
      }
    } finally {
      this.#lastMiss = undefined;
    }
  }

  #missedOne(reason: string): ObserverError {
    this.#missed++;
    const error = this.#missedBy(reason);
    if (this.#missed >= this.#giveUpAfter && this.#givenUp === undefined) {
      this.#givenUp = error;
      this.#onGiveUp(error);
    }
    return error;
  }

  #missedBy(reason: string): ObserverError {
    const text = isBusy(reason)
      ? `takes no spans now: it ${reason}`
      : `cannot be reached: ${reason}; check the address and that a backend listens there`;
    return this.#failure(text);
  }

  #errorOf(sent: Sent, spans: number, { lost }: Batch): ObserverError | undefined {
    switch (sent.kind) {
      case 'taken': {
        if (sent.rejected === 0) return undefined;
        const rejected = Math.min(sent.rejected, spans);
        addTo(lost, 'rejected', rejected);
        const why = sent.message === '' ? 'no reason given' : sent.message;
        return this.#failure(`rejected ${rejected} of ${spans} spans: ${why}`);
      }
      case 'refused':
        addTo(lost, 'refused', spans);
        return this.#failure(`refused spans: ${sent.reason}`);
      case 'unreachable':
        addTo(lost, 'unreachable', spans);
        return this.#failure(sent.reason);
    }
  }

  #failure(text: string): ObserverError {
    return new ObserverError('HO_EXPORT_FAILED', `${this.name} ${text}`);
  }
}

/** The settings with those of the environment. @throws ObserverError `HO_OPTION`. */
export function otlpSettings(options: OtlpHttpExporterOptions) {
  const standard = otlpEnvironment(options.env ?? process.env);
  return {
    url: options.url,
    protocol: options.protocol ?? standard.protocol,
    headers: { ...standard.headers, ...options.headers },
    timeoutMillis: options.timeoutMillis ?? standard.timeoutMillis ?? DEFAULT_TIMEOUT_MS,
    compression: options.compression ?? standard.compression,
    ca: options.ca ?? standard.ca,
    cert: options.cert ?? standard.cert,
    key: options.key ?? standard.key,
  };
}

/** Somebody is there, and asks to try again. */
const isBusy = (reason: string) => reason.startsWith('asks');

function nameOf(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href;
}
