import type { OtlpAttribute, OtlpSpan, OtlpTraces, OtlpValue } from './otlp-json.js';

/** All that a span says, in one form however it was written, so that two of them can be compared. */
export interface SpanFacts {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly status: string;
  readonly flags: number;
  readonly traceState: string;
  readonly attributes: Facts;
  readonly events: readonly Facts[];
  readonly links: readonly Facts[];
  /** Attributes, events and links that were dropped. */
  readonly dropped: string;
  readonly resource: Facts;
  readonly scope: Facts;
}

type Facts = Readonly<Record<string, string>>;

/**
 * The spans of OTLP/JSON: of a request, of a line of a file, or of an answer of Jaeger's v3 API. Without schema URLs, which
 * Jaeger does not keep in memory.
 */
export function spanFacts(traces: OtlpTraces): SpanFacts[] {
  return (traces.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ scope, spans = [] }) => {
      const { name = '', version = '', attributes } = scope ?? {};
      const resourceFacts = attributeFacts(resource?.attributes);
      const scopeFacts = { name, version, ...attributeFacts(attributes) };
      return spans.map((span) => ({ ...factsOf(span), resource: resourceFacts, scope: scopeFacts }));
    }),
  );
}

function factsOf(span: OtlpSpan): Omit<SpanFacts, 'resource' | 'scope'> {
  const { droppedAttributesCount = 0, droppedEventsCount = 0, droppedLinksCount = 0 } = span;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    name: span.name ?? '',
    kind: span.kind ?? 0,
    start: BigInt(span.startTimeUnixNano ?? 0),
    end: BigInt(span.endTimeUnixNano ?? 0),
    status: `${span.status?.code ?? 0} ${span.status?.message ?? ''}`,
    flags: span.flags ?? 0,
    traceState: span.traceState ?? '',
    attributes: attributeFacts(span.attributes),
    events: (span.events ?? []).map((event) => ({
      '(event)': `${event.name ?? ''} at ${event.timeUnixNano ?? 0}, ${event.droppedAttributesCount ?? 0} dropped`,
      ...attributeFacts(event.attributes),
    })),
    links: (span.links ?? []).map((link) => ({
      '(link)': `${link.traceId}/${link.spanId} ${link.traceState ?? ''} ${link.flags ?? 0} ${link.droppedAttributesCount ?? 0}`,
      ...attributeFacts(link.attributes),
    })),
    dropped: `${droppedAttributesCount} ${droppedEventsCount} ${droppedLinksCount}`,
  };
}

/** Sorted by key: order says nothing in a span, and Jaeger sorts. */
function attributeFacts(attributes: readonly OtlpAttribute[] = []): Facts {
  const pairs = attributes.map(({ key, value }): [string, string] => [key, valueFact(value)]);
  return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** With its type, so that 1, 1.0 and "1" differ. */
function valueFact(value: OtlpValue = {}): string {
  if (value.stringValue !== undefined) return JSON.stringify(value.stringValue);
  if (value.boolValue !== undefined) return `bool ${value.boolValue}`;
  if (value.intValue !== undefined) return `int ${value.intValue}`;
  if (value.doubleValue !== undefined) return `double ${Number(value.doubleValue)}`;
  if (value.bytesValue !== undefined) return `bytes ${value.bytesValue}`;
  if (value.arrayValue !== undefined) return `[${(value.arrayValue.values ?? []).map(valueFact).join(', ')}]`;
  if (value.kvlistValue !== undefined) return JSON.stringify(attributeFacts(value.kvlistValue.values));
  return 'empty';
}
