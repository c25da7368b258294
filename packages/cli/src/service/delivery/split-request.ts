interface Scoped {
  spans?: Record<string, unknown>[];
}
interface Resourced {
  scopeSpans?: Scoped[];
}
interface TraceRequestJson {
  resourceSpans?: Resourced[];
}

/** A request with a part of the spans of another one. */
export interface Part {
  readonly body: Uint8Array;
  readonly spans: number;
}

/** A request as two of half its spans, or `undefined` if it has one span only, or cannot be read. */
export function halves(body: Uint8Array): readonly [Part, Part] | undefined {
  const request = read(body);
  const total = request === undefined ? 0 : countOf(request);
  if (request === undefined || total < 2) return undefined;
  const middle = Math.ceil(total / 2);
  return [partOf(request, 0, middle), partOf(request, middle, total)];
}

/** A request of one span with nothing left of it but what it is and where it stands, marked as cut. */
export function bareRequest(body: Uint8Array): Part | undefined {
  const request = read(body);
  if (request === undefined || countOf(request) !== 1) return undefined;
  const bare = mapSpans(request, ([span]) => {
    const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, flags } = span ?? {};
    const attributes = [{ key: 'hermes.export.cut', value: { boolValue: true } }];
    return [{ traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, flags, attributes }];
  });
  return { body: Buffer.from(JSON.stringify(bare)), spans: 1 };
}

const LONGEST_NAME = 200;

/** Name and ids of the first span of a request, for a message. */
export function nameOfSpan(body: Uint8Array): string {
  const [resource] = read(body)?.resourceSpans ?? [];
  const { name, traceId, spanId } = resource?.scopeSpans?.[0]?.spans?.[0] ?? {};
  return `${JSON.stringify(String(name).slice(0, LONGEST_NAME))} (trace ${String(traceId)}, span ${String(spanId)})`;
}

function read(body: Uint8Array): TraceRequestJson | undefined {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString()) as TraceRequestJson;
  } catch {
    return undefined;
  }
}

function countOf(request: TraceRequestJson): number {
  let count = 0;
  for (const { scopeSpans = [] } of request.resourceSpans ?? []) {
    for (const { spans = [] } of scopeSpans) count += spans.length;
  }
  return count;
}

/** The spans from number `from` up to and without `to`, with their resources and scopes. */
function partOf(request: TraceRequestJson, from: number, to: number): Part {
  let number = 0;
  const part = mapSpans(request, (spans) => {
    const first = number;
    number += spans.length;
    return spans.slice(Math.max(0, from - first), Math.max(0, to - first));
  });
  return { body: Buffer.from(JSON.stringify(part)), spans: to - from };
}

function mapSpans(
  request: TraceRequestJson,
  map: (spans: Record<string, unknown>[]) => Record<string, unknown>[],
): TraceRequestJson {
  const resourceSpans = (request.resourceSpans ?? []).map((resource) => {
    const scopes = (resource.scopeSpans ?? []).map((scope) => ({ ...scope, spans: map(scope.spans ?? []) }));
    return { ...resource, scopeSpans: scopes.filter(({ spans }) => spans.length > 0) };
  });
  return { resourceSpans: resourceSpans.filter(({ scopeSpans }) => scopeSpans.length > 0) };
}
