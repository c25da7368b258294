import { observerResource, type ReadableSpan } from '@hermes-observer/otel';
import type { Request } from '@hermes-observer/otel/spool';
import { type LogRecord, LogRequests, logRecordsOf } from '@hermes-observer/signals';

/** One request is no larger. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Spans, and judgements of them, to requests of log records. */
export class LogEncoder {
  /** Spans that no log records could be made of. */
  unwritable = 0;
  readonly #requests: LogRequests;

  constructor(serviceName: string | undefined, resourceAttributes: Readonly<Record<string, string>>) {
    const { attributes } = observerResource(serviceName, {
      ...resourceAttributes,
      ...(serviceName === undefined ? {} : { 'service.name': serviceName }),
    });
    this.#requests = new LogRequests(attributes, MOST_BYTES);
  }

  /** @param spans without secrets, where that is asked for */
  encode(spans: readonly ReadableSpan[], evaluations: readonly LogRecord[]): Request[] {
    const records = [...spans.flatMap((span) => this.#recordsOf(span)), ...evaluations];
    return this.#requests.of(records).map((request) => ({ body: request.body, spans: request.records }));
  }

  /** One that cannot be read keeps no others from being sent. */
  #recordsOf(span: ReadableSpan): LogRecord[] {
    try {
      return logRecordsOf(span);
    } catch {
      this.unwritable++;
      return [];
    }
  }
}
