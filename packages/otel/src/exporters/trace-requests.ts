import type { ReadableSpan } from '../sdk/types.js';
import { bareSpan, cutSpan } from './fit-span.js';
import type { loadJsonTraceSerializer } from './json-trace-serializer.js';
import { safeSpans } from './safe-numbers.js';

/** One `ExportTraceServiceRequest` as OTLP/JSON, and the spans in it. */
export interface TraceRequest {
  readonly body: Uint8Array;
  readonly spans: readonly ReadableSpan[];
}

/** A single span is cut to no less than this before all but its bones is left out. */
const SMALLEST_CUT = 16 * 1024;

/**
 * Spans as requests of bounded size. A batch that is too large is split; of one span that is too large alone the
 * largest strings are cut, marked with `hermes.export.cut`. A span that cannot be serialized is left out.
 */
export class TraceRequests {
  readonly #serializer: ReturnType<typeof loadJsonTraceSerializer>;
  readonly #maxBytes: number;
  readonly #prepare: (span: ReadableSpan) => ReadableSpan;

  /** `prepare` is applied to each span before it is serialized. */
  constructor(
    serializer: ReturnType<typeof loadJsonTraceSerializer>,
    maxBytes: number,
    prepare: (span: ReadableSpan) => ReadableSpan = (span) => span,
  ) {
    this.#serializer = serializer;
    this.#maxBytes = maxBytes;
    this.#prepare = prepare;
  }

  /** The requests of `spans`, in order, each made when it is asked for. */
  *of(spans: readonly ReadableSpan[]): Generator<TraceRequest, void, undefined> {
    if (spans.length === 0) return;
    const body = this.#serialize(spans);
    if (body !== undefined && body.length <= this.#maxBytes) {
      yield { body, spans };
      return;
    }
    const [span] = spans;
    if (spans.length === 1 && span !== undefined) {
      const fitting = this.#fit(span, body?.length, this.#maxBytes);
      if (fitting !== undefined) yield fitting;
      return;
    }
    // As many parts as the size asks for, so that a batch of large spans is not serialized once per halving.
    const parts = body === undefined ? 2 : Math.ceil(body.length / this.#maxBytes) + 1;
    const size = Math.ceil(spans.length / Math.min(parts, spans.length));
    for (let i = 0; i < spans.length; i += size) yield* this.of(spans.slice(i, i + size));
  }

  /** Ever smaller requests for a span that was refused in one of `bytes`. */
  *smaller(span: ReadableSpan, bytes: number): Generator<TraceRequest, void, undefined> {
    for (let size = Math.floor(bytes / 4); size >= SMALLEST_CUT; size = Math.floor(size / 4)) {
      const cut = this.#cut(span, bytes, size);
      if (cut !== undefined) yield cut;
    }
    const bare = this.#bare(span, this.#maxBytes);
    if (bare !== undefined) yield bare;
  }

  /** `bytes` is not known of a span that could not be serialized. */
  #fit(span: ReadableSpan, bytes: number | undefined, maxBytes: number): TraceRequest | undefined {
    return (bytes === undefined ? undefined : this.#cut(span, bytes, maxBytes)) ?? this.#bare(span, maxBytes);
  }

  #cut(span: ReadableSpan, bytes: number, maxBytes: number): TraceRequest | undefined {
    return this.#single(() => cutSpan(span, bytes, maxBytes), maxBytes);
  }

  #bare(span: ReadableSpan, maxBytes: number): TraceRequest | undefined {
    return this.#single(() => bareSpan(span), maxBytes);
  }

  #single(make: () => ReadableSpan, maxBytes: number): TraceRequest | undefined {
    try {
      const spans = [make()];
      const body = this.#serialize(spans);
      return body !== undefined && body.length <= maxBytes ? { body, spans } : undefined;
    } catch {
      return undefined;
    }
  }

  /** `undefined` if it throws: too long for a string, or a span with broken values. The batch is then split. */
  #serialize(spans: readonly ReadableSpan[]): Uint8Array | undefined {
    try {
      return this.#serializer.serializeRequest(safeSpans(spans.map(this.#prepare)));
    } catch {
      return undefined;
    }
  }
}
