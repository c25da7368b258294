import { type Encoding, JSON_ENCODING, PROTOBUF_ENCODING, TraceRequests, withLength } from '@hermes-observer/otel';
import type { Request } from '@hermes-observer/otel/spool';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { ExportTarget } from '../options.js';

/** One request, and one line of a file with its newline, is no larger. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What targets want spans as. */
export type Form = 'file' | 'http/json' | 'http/protobuf';

export const formOf = (target: ExportTarget): Form =>
  target.kind === 'file' ? 'file' : (target.protocol ?? 'http/json');

export const encodingOf = (target: ExportTarget): Encoding =>
  formOf(target) === 'http/protobuf' ? PROTOBUF_ENCODING : JSON_ENCODING;

/** Spans to requests, once for all targets that want the same. */
export class Encoder {
  /** Spans that cannot be written as OTLP. */
  unwritable = 0;
  readonly #forms: readonly Form[];
  readonly #requests: Readonly<Record<Form, TraceRequests>>;

  constructor(forms: Iterable<Form>) {
    this.#forms = [...new Set(forms)];
    this.#requests = {
      'http/json': new TraceRequests(JSON_ENCODING, MOST_BYTES, withLength),
      'http/protobuf': new TraceRequests(PROTOBUF_ENCODING, MOST_BYTES, withLength),
      file: new TraceRequests(JSON_ENCODING, MOST_BYTES - 1),
    };
  }

  encode(spans: readonly ReadableSpan[]): Partial<Record<Form, readonly Request[]>> {
    const encoded: Partial<Record<Form, readonly Request[]>> = {};
    for (const form of this.#forms) {
      const requests = [...this.#requests[form].of(spans)];
      encoded[form] = requests.map((request) => ({ body: request.body, spans: request.spans.length }));
      const written = requests.reduce((sum, request) => sum + request.spans.length, 0);
      if (form === this.#forms[0]) this.unwritable += spans.length - written;
    }
    return encoded;
  }
}
