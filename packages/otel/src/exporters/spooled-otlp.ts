import { ObserverError } from '@hermes-observer/core';
import type { Request, SpoolDelivery, SpoolDeliveryCounts } from '@hermes-observer/otel/spool';
import type { Encoding } from '../encoding/encoding.js';
import { JSON_ENCODING } from '../encoding/json-encoding.js';
import { PROTOBUF_ENCODING } from '../encoding/protobuf-encoding.js';
import { addTo, type CountedResult } from '../sdk/counted-result.js';
import type { ReadableSpan, SpanExporter } from '../sdk/types.js';
import { HttpTarget } from '../transport/http-target.js';
import { OtlpHttpExporter, type OtlpHttpExporterOptions, otlpSettings } from './otlp-http.js';
import { TraceRequests } from './trace-requests.js';
import { withLength } from './with-length.js';

export type { SpoolDeliveryCounts };

export interface SpoolSettings {
  /** Made if it is not there. Processes may share it: each has a part of its own. */
  readonly folder: string;
  /** Over this the oldest spans are given up and counted. @default 1 GiB */
  readonly maxBytes?: number | undefined;
  /** Spans that wait for longer are given up and counted, in milliseconds. @default 7 days */
  readonly maxAgeMillis?: number | undefined;
}

export interface SpooledOtlpExporterOptions extends Omit<OtlpHttpExporterOptions, 'giveUpAfter' | 'onGiveUp'> {
  readonly spool: SpoolSettings;
  /** Told what the user should know. Default: `process.emitWarning`. */
  readonly onWarning?: (text: string) => void;
}

const SUCCESS = 0;
const FAILED = 1;
/** What the disk has to take what is under way, when the exporter is closed. */
const GRACE_MS = 500;
const DEFAULT_REQUEST_BYTES = 4 * 1024 * 1024;
const DEFAULT_SPOOL_BYTES = 2 ** 30;
const DEFAULT_AGE_MS = 7 * 86_400_000;
const NOTHING: SpoolDeliveryCounts = {
  sentSpans: 0,
  lostSpans: 0,
  lostByReason: {},
  cutSpans: 0,
  retries: 0,
  waitingSpans: 0,
  waitingBytes: 0,
};

/**
 * OTLP over HTTP by way of files: spans are exported as soon as they are written, and go from there to the backend, in
 * order, for as long as it takes, also when it is away for hours or the process ends meanwhile: the next one with the same
 * folder goes on. A span may come twice after a crash, with the same bytes. Where the folder cannot be used, that is
 * said once and spans are sent as `OtlpHttpExporter` does.
 */
export class SpooledOtlpExporter implements SpanExporter {
  readonly #requests: TraceRequests;
  readonly #delivery: Promise<SpoolDelivery | undefined>;
  readonly #direct: () => OtlpHttpExporter;
  #exporter: OtlpHttpExporter | undefined;
  #opened: SpoolDelivery | undefined;
  #last: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();
  #cut = 0;
  #unwritable = 0;

  /** @throws ObserverError `HO_OPTION` for a setting of the environment that is none of its kind. */
  constructor(options: SpooledOtlpExporterOptions) {
    const settings = otlpSettings(options);
    const encoding: Encoding = settings.protocol === 'http/json' ? JSON_ENCODING : PROTOBUF_ENCODING;
    const { onWarning = (text: string) => process.emitWarning(text, { type: 'HermesObserverWarning' }) } = options;
    this.#requests = new TraceRequests(encoding, options.maxRequestBytes ?? DEFAULT_REQUEST_BYTES, withLength);
    this.#direct = () => {
      this.#exporter ??= new OtlpHttpExporter(options);
      return this.#exporter;
    };
    this.#delivery = open(options, settings, encoding, onWarning).then((delivery) => {
      this.#opened = delivery;
      return delivery;
    });
  }

  /** What became of the spans: of those that wait, also of earlier processes. */
  get counts(): SpoolDeliveryCounts {
    const spooled = this.#opened?.counts ?? NOTHING;
    const direct = this.#exporter;
    const lostByReason: Record<string, number> = { ...spooled.lostByReason };
    for (const [reason, spans] of Object.entries(direct?.lostByReason ?? {})) addTo(lostByReason, reason, spans);
    addTo(lostByReason, 'unwritable', this.#unwritable);
    return {
      sentSpans: spooled.sentSpans + (direct?.writtenSpans ?? 0),
      lostSpans: spooled.lostSpans + (direct?.lostSpans ?? 0) + this.#unwritable,
      lostByReason,
      // What was cut to size before it came to the spool, what was sent bare, and what was sent without the spool.
      cutSpans: this.#cut + spooled.cutSpans + (direct?.cutSpans ?? 0),
      retries: spooled.retries + (direct?.retries ?? 0),
      waitingSpans: spooled.waitingSpans,
      waitingBytes: spooled.waitingBytes,
    };
  }

  export(spans: ReadableSpan[], resultCallback: (result: CountedResult) => void): void {
    const failed = (error: unknown): CountedResult => ({
      code: FAILED,
      error: error instanceof Error ? error : new Error(String(error)),
    });
    this.#last = this.#last.then(async () => resultCallback(await this.#exportAll(spans).catch(failed)));
    // What the callback throws is not this exporter's.
    this.#last = this.#last.catch(() => {});
  }

  async #exportAll(spans: ReadableSpan[]): Promise<CountedResult> {
    const delivery = await this.#delivery;
    if (delivery === undefined) return new Promise((resolve) => this.#direct().export(spans, resolve));
    if (this.#closing.signal.aborted) return closed(spans);
    const requests: Request[] = [];
    let left = spans.length;
    let cut = 0;
    for (const { body, spans: of } of this.#requests.of(spans)) {
      requests.push({ body, spans: of.length });
      left -= of.length;
      for (const { isCut } of of) if (isCut) cut++;
    }
    // A disk that is full holds up what comes behind, until there is room or all is closed.
    if (!(await this.#untilClosed(delivery.add(requests)))) return closed(spans);
    this.#cut += cut;
    this.#unwritable += left;
    if (left === 0) return { code: SUCCESS };
    const error = new ObserverError('HO_EXPORT_FAILED', 'some spans cannot be written as OTLP.');
    return { code: FAILED, error, lost: { unwritable: left } };
  }

  /** False when it was closed before. */
  #untilClosed(work: Promise<void>): Promise<boolean> {
    const { signal } = this.#closing;
    return new Promise((resolve, reject) => {
      const stop = () => resolve(false);
      signal.addEventListener('abort', stop, { once: true });
      work.then(() => resolve(true), reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  /** Resolves when all is delivered, or the backend is away and all is on disk. */
  async forceFlush(): Promise<void> {
    await this.#last;
    await (await this.#delivery)?.flush();
    await this.#exporter?.forceFlush();
  }

  /** Ends the sending; what was not taken stays for the next process. What the disk does not take soon is lost. */
  async shutdown(): Promise<void> {
    const timer = setTimeout(() => {
      this.#closing.abort();
      void this.#exporter?.shutdown();
    }, GRACE_MS);
    await this.#last;
    clearTimeout(timer);
    this.#closing.abort();
    await (await this.#delivery)?.close();
    await this.#exporter?.shutdown();
  }
}

function closed({ length }: ReadableSpan[]): CountedResult {
  const error = new ObserverError('HO_EXPORT_FAILED', 'the exporter was closed by shutdown().');
  return { code: FAILED, error, lost: { shutdown: length } };
}

async function open(
  options: SpooledOtlpExporterOptions,
  settings: ReturnType<typeof otlpSettings>,
  encoding: Encoding,
  onWarning: (text: string) => void,
): Promise<SpoolDelivery | undefined> {
  const { maxBytes = DEFAULT_SPOOL_BYTES, maxAgeMillis = DEFAULT_AGE_MS } = options.spool;
  // A program may go to another folder later.
  const folder = process.getBuiltinModule('node:path').resolve(options.spool.folder);
  try {
    // Loaded by those who have a spool alone.
    const { SpoolDelivery } = await import('@hermes-observer/otel/spool');
    return await SpoolDelivery.open({
      folder,
      limits: { bytes: maxBytes, ageMillis: maxAgeMillis },
      encoding,
      target: () => new HttpTarget(settings),
      name: options.name ?? 'otlp',
      onWarning,
    });
  } catch (error) {
    onWarning(`the spool ${folder} cannot be used: ${(error as Error).message}; spans go without it.`);
    return undefined;
  }
}
