import { JSON_ENCODING, TraceRequests, withLength } from '@hermes-observer/otel';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { ExportTarget } from '../options.js';
import type { Request } from './spool.js';

/** One request, and one line of a file with its newline, is no larger. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Spans to requests, once for all targets of a kind. */
export class Encoder {
  /** Spans that cannot be written as OTLP/JSON. */
  unwritable = 0;
  readonly #kinds: readonly ExportTarget['kind'][];
  readonly #requests: Readonly<Record<ExportTarget['kind'], TraceRequests>>;

  constructor(kinds: Iterable<ExportTarget['kind']>) {
    this.#kinds = [...new Set(kinds)];
    this.#requests = {
      http: new TraceRequests(JSON_ENCODING, MOST_BYTES, withLength),
      file: new TraceRequests(JSON_ENCODING, MOST_BYTES - 1),
    };
  }

  encode(spans: readonly ReadableSpan[]): Partial<Record<ExportTarget['kind'], readonly Request[]>> {
    const encoded: Partial<Record<ExportTarget['kind'], readonly Request[]>> = {};
    for (const kind of this.#kinds) {
      const requests = [...this.#requests[kind].of(spans)];
      encoded[kind] = requests.map((request) => ({ body: request.body, spans: request.spans.length }));
      const written = requests.reduce((sum, request) => sum + request.spans.length, 0);
      if (kind === this.#kinds[0]) this.unwritable += spans.length - written;
    }
    return encoded;
  }
}
