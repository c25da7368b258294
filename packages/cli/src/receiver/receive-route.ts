import { isAscii } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestBody } from '../listeners/http/request-body.js';
import { RequestError } from '../listeners/http/request-error.js';
import type { ListenerContext } from '../listeners/listener-context.js';
import type { TraceStore } from '../traces/trace-store.js';
import { type SpansOfRequest, spansOfJson } from './otlp-json.js';
import { spansOfProtobuf } from './otlp-protobuf.js';
import { type Form, respondPartial } from './partial-success.js';

/** As the Collector's `max_request_body_size`, unpacked. */
const MOST_BODY_BYTES = 20 * 2 ** 20;
/** Spans that are taken until others get their turn. */
const SLICE = 2_000;

const FORMS: readonly (readonly [RegExp, Form])[] = [
  [/^application\/json\s*(;|$)/i, 'json'],
  [/^application\/x-protobuf\s*(;|$)/i, 'protobuf'],
];

/** Spans of other programs, over OTLP/HTTP, into the store. They are shown, and go nowhere else. */
export class Receiver {
  readonly #store: TraceStore;
  readonly #context: ListenerContext;
  readonly counts = { spans: 0, refusedSpans: 0 };

  constructor(store: TraceStore, context: ListenerContext) {
    this.#store = store;
    this.#context = context;
  }

  /** `POST /v1/traces`. @throws RequestError 400, 413, 415, 429; then nothing was taken. */
  async takeTraces(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = formOf(request);
    const { waiting, limits } = this.#context;
    const body = new RequestBody(request, waiting, Math.min(limits.bodyBytes, MOST_BODY_BYTES));
    try {
      const refused = await this.#take(spansOf(form, await body.readShared()));
      respondPartial(response, form, refused, refused === 0 ? '' : REFUSED);
    } finally {
      body.release();
    }
  }

  /** `POST /v1/logs`, `POST /v1/metrics`: an exporter of these must not try for ever, and somebody should be told. */
  async refuseSignal(request: IncomingMessage, response: ServerResponse, signal: 'logs' | 'metrics'): Promise<void> {
    const form = formOf(request);
    const body = new RequestBody(request, this.#context.waiting, MOST_BODY_BYTES);
    try {
      await body.readChunks();
      respondPartial(
        response,
        form,
        0,
        `${signal} are not kept here: only traces are shown; set OTEL_${signal.toUpperCase()}_EXPORTER=none`,
      );
    } finally {
      body.release();
    }
  }

  async #take(spans: SpansOfRequest): Promise<number> {
    let refused = 0;
    let taken = 0;
    try {
      for (const span of spans) {
        if (span === undefined || !this.#store.add(span, 'received')) refused++;
        else this.counts.spans++;
        if (++taken % SLICE === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      // Nothing can be found behind a place where the request is no message.
      if (!(error instanceof RangeError)) throw error;
      if (taken === 0) throw new RequestError(400, 'HO_REQUEST', 'the body is no ExportTraceServiceRequest');
      refused++;
    }
    this.counts.refusedSpans += refused;
    return refused;
  }
}

const REFUSED = 'spans that name no trace, or that there is no room for, are not shown';

function formOf({ headers }: IncomingMessage): Form {
  const type = headers['content-type'] ?? '';
  const [, form] = FORMS.find(([pattern]) => pattern.test(type)) ?? [];
  if (form !== undefined) return form;
  throw new RequestError(415, 'HO_REQUEST', 'Content-Type must be application/json or application/x-protobuf');
}

function spansOf(form: Form, body: Buffer): SpansOfRequest {
  if (form === 'protobuf') return spansOfProtobuf(body);
  let request: unknown;
  try {
    // A text of bytes is made faster where each is a character.
    request = JSON.parse(isAscii(body) ? body.toString('latin1') : body.toString('utf8'));
  } catch {
    throw new RequestError(400, 'HO_REQUEST', 'the body is no JSON');
  }
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    throw new RequestError(400, 'HO_REQUEST', 'the body must be an ExportTraceServiceRequest');
  }
  return spansOfJson(request);
}
