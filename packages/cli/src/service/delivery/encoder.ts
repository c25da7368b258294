import {
  type Encoding,
  JSON_ENCODING,
  PROTOBUF_ENCODING,
  type ReadableSpan,
  TraceRequests,
  withLength,
} from '@hermes-observer/otel';
import type { Request } from '@hermes-observer/otel/spool';
import { type Profile, SpanMapper } from '@hermes-observer/profiles';
import type { ExportTarget } from '../options.js';
import type { Count } from '../ports.js';

/** One request, and one line of a file with its newline, is no larger. */
const MOST_BYTES = 4 * 1024 * 1024;

export const encodingOf = (target: ExportTarget): Encoding =>
  target.kind === 'http' && target.protocol === 'http/protobuf' ? PROTOBUF_ENCODING : JSON_ENCODING;

/** What targets want spans as: those that want the same share it. */
interface Form {
  readonly of: ExportTarget;
  readonly encoding: Encoding;
  readonly requests: TraceRequests;
}

/** Spans to requests, once for all targets that want the same. */
export class Encoder {
  /** Spans that cannot be written as OTLP. */
  unwritable = 0;
  /** Spans that a profile could not read, and that went as they are. */
  unmapped = 0;
  readonly #forms: Form[] = [];
  readonly #formOf = new Map<string, Form>();
  readonly #mappers = new Map<readonly Profile[], SpanMapper>();

  constructor(targets: Iterable<ExportTarget>) {
    for (const target of targets) {
      const encoding = encodingOf(target);
      const { kind, profiles, maxRequestBytes } = target;
      let form = this.#forms.find(
        ({ of, encoding: other }) =>
          of.kind === kind && other === encoding && of.profiles === profiles && of.maxRequestBytes === maxRequestBytes,
      );
      if (form === undefined) {
        form = { of: target, encoding, requests: requestsFor(target, encoding) };
        this.#forms.push(form);
      }
      this.#formOf.set(target.name, form);
      if (profiles !== undefined && !this.#mappers.has(profiles)) {
        this.#mappers.set(profiles, new SpanMapper(profiles));
      }
    }
  }

  /** The requests of each target, by its name. */
  encode(spans: readonly ReadableSpan[]): (name: string) => readonly Request[] {
    const mapped = new Map<readonly Profile[] | undefined, readonly ReadableSpan[]>([[undefined, spans]]);
    for (const [profiles, mapper] of this.#mappers) mapped.set(profiles, this.#mapped(spans, mapper));
    const encoded = new Map<Form, readonly Request[]>();
    for (const form of this.#forms) {
      const requests = [...form.requests.of(mapped.get(form.of.profiles) as readonly ReadableSpan[])];
      encoded.set(
        form,
        requests.map((request) => ({ body: request.body, spans: request.spans.length })),
      );
      const written = requests.reduce((sum, request) => sum + request.spans.length, 0);
      if (form === this.#forms[0]) this.unwritable += spans.length - written;
    }
    return (name) => encoded.get(this.#formOf.get(name) as Form) ?? [];
  }

  counts(): Count[] {
    const counts: Count[] = [
      { name: 'unwritable_spans', help: 'Spans that cannot be written as OTLP.', value: this.unwritable },
    ];
    if (this.#mappers.size === 0) return counts;
    counts.push({ name: 'unmapped_spans', help: 'Spans that no profile could read.', value: this.unmapped });
    const help = 'Attributes that a profile left out of spans that have as many as they may.';
    const byNames = new Map<string, number>();
    for (const [profiles, { leftOutAttributes }] of this.#mappers) {
      const names = profiles.map(({ name }) => name).join('+');
      byNames.set(names, (byNames.get(names) ?? 0) + leftOutAttributes);
    }
    for (const [profiles, value] of byNames)
      counts.push({ name: 'left_out_attributes', help, value, labels: { profiles } });
    return counts;
  }

  #mapped(spans: readonly ReadableSpan[], mapper: SpanMapper): ReadableSpan[] {
    return spans.map((span) => {
      try {
        return mapper.map(span);
      } catch {
        this.unmapped++;
        return span;
      }
    });
  }
}

function requestsFor({ kind, maxRequestBytes = MOST_BYTES }: ExportTarget, encoding: Encoding): TraceRequests {
  // One byte of a line is its newline.
  return kind === 'http'
    ? new TraceRequests(encoding, maxRequestBytes, withLength)
    : new TraceRequests(encoding, maxRequestBytes - 1);
}
