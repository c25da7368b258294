import type { EncodedSpan, Encoding } from '../encoding/encoding.js';
import { SpanEncoder } from '../encoding/span-encoder.js';
import type { ReadableSpan } from '../sdk/types.js';
import { bareSpan, cutSpan } from './fit-span.js';
import { RequestSize } from './request-size.js';

/** One `ExportTraceServiceRequest`, and the spans in it. */
export interface TraceRequest {
  readonly body: Uint8Array;
  readonly spans: readonly RequestSpan[];
}

/** A span as it stands in a request. */
export interface RequestSpan extends EncodedSpan {
  /** What it was made of. */
  readonly source: ReadableSpan;
  /** Something of it was left out to make it fit. */
  readonly isCut: boolean;
}

/** A single span is cut to no less than this before all but its bones is left out. */
const SMALLEST_CUT = 16 * 1024;

/**
 * Spans as requests of bounded size. Each span is encoded once; of one that is too large for any request the largest
 * strings are cut, marked with `hermes.export.cut`. A span that cannot be written is left out.
 */
export class TraceRequests {
  readonly #encoder: SpanEncoder;
  readonly #encoding: Encoding;
  readonly #maxBytes: number;
  readonly #prepare: (span: ReadableSpan) => ReadableSpan;

  /** `prepare` is applied to each span before it is encoded. */
  constructor(encoding: Encoding, maxBytes: number, prepare: (span: ReadableSpan) => ReadableSpan = (span) => span) {
    this.#encoder = new SpanEncoder(encoding);
    this.#encoding = encoding;
    this.#maxBytes = maxBytes;
    this.#prepare = prepare;
  }

  /** The requests of `spans`, in order, each made when it is asked for. */
  *of(spans: readonly ReadableSpan[]): Generator<TraceRequest, void, undefined> {
    this.#encoder.begin();
    let batch: RequestSpan[] = [];
    const size = new RequestSize(this.#encoding);
    for (const source of spans) {
      const span = this.#encoded(source);
      if (span === undefined) continue;
      if (batch.length > 0 && size.with(span) > this.#maxBytes) {
        yield this.request(batch);
        batch = [];
        size.reset();
        this.#encoder.begin();
      }
      batch.push(span);
      size.add(span);
    }
    if (batch.length > 0) yield this.request(batch);
  }

  /** A request of spans that were encoded before, such as a part of another one. */
  request(spans: readonly RequestSpan[]): TraceRequest {
    return { body: this.#encoding.request(spans), spans };
  }

  /** Ever smaller requests for a span that was refused alone. */
  *smaller({ source, bytes }: RequestSpan): Generator<TraceRequest, void, undefined> {
    for (let size = Math.floor(bytes / 4); size >= SMALLEST_CUT; size = Math.floor(size / 4)) {
      const cut = this.#cut(source, bytes, size);
      if (cut !== undefined) yield this.request([cut]);
    }
    const bare = this.#bare(source);
    if (bare !== undefined) yield this.request([bare]);
  }

  #encoded(source: ReadableSpan): RequestSpan | undefined {
    const encoded = this.#encode(source, false, this.#prepare);
    if (encoded === undefined) return this.#bare(source);
    const most = this.#mostBytes(encoded);
    return encoded.bytes <= most ? encoded : (this.#cut(source, encoded.bytes, most) ?? this.#bare(source));
  }

  /** Bytes that a span may have in a request of its own. */
  #mostBytes({ group }: EncodedSpan): number {
    return this.#maxBytes - this.#encoding.requestBytes - group.bytes - group.resource.bytes;
  }

  #cut(source: ReadableSpan, bytes: number, maxBytes: number): RequestSpan | undefined {
    const cut = this.#encode(source, true, (span) =>
      cutSpan(this.#prepare(span), bytes, maxBytes, this.#encoding.textBytes),
    );
    return cut !== undefined && cut.bytes <= Math.min(maxBytes, this.#mostBytes(cut)) ? cut : undefined;
  }

  #bare(source: ReadableSpan): RequestSpan | undefined {
    const bare = this.#encode(source, true, (span) => bareSpan(this.#prepare(span)));
    return bare !== undefined && bare.bytes <= this.#mostBytes(bare) ? bare : undefined;
  }

  /** `undefined` for a span that throws when it is read. */
  #encode(source: ReadableSpan, isCut: boolean, change: (span: ReadableSpan) => ReadableSpan): RequestSpan | undefined {
    try {
      const encoded = this.#encoder.encode(change(source));
      if (encoded === undefined) return undefined;
      const { arena, start, bytes, group } = encoded;
      return { arena, start, bytes, group, source, isCut };
    } catch {
      return undefined;
    }
  }
}
