import type { ReadableSpan } from '@hermes-observer/otel';

/** Spans as bytes for another process. Their resources lose what detectors may still be at. */
export function writeSpans(spans: readonly ReadableSpan[]): Uint8Array {
  // What spans have in common stays one thing, so that they are one group of a request.
  const resources = new Map<ReadableSpan['resource'], object>();
  const resourceOf = (resource: ReadableSpan['resource']) => {
    const plain = resources.get(resource) ?? { attributes: resource.attributes, schemaUrl: resource.schemaUrl };
    resources.set(resource, plain);
    return plain;
  };
  const plain = spans.map((span) => ({
    name: span.name,
    kind: span.kind,
    context: contextOf(span.spanContext()),
    parentSpanContext: span.parentSpanContext === undefined ? undefined : contextOf(span.parentSpanContext),
    startTime: span.startTime,
    endTime: span.endTime,
    status: span.status,
    attributes: span.attributes,
    links: span.links.map((link) => ({ ...link, context: contextOf(link.context) })),
    events: span.events,
    duration: span.duration,
    ended: span.ended,
    resource: resourceOf(span.resource),
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: span.droppedAttributesCount,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  }));
  return process.getBuiltinModule('node:v8').serialize(plain);
}

type SpanContext = ReturnType<ReadableSpan['spanContext']>;

/** A state is an object with methods; what it says is a text. */
const contextOf = ({ traceState, ...context }: SpanContext) => ({ ...context, state: traceState?.serialize() });

export function readSpans(bytes: Uint8Array): ReadableSpan[] {
  const plain = process.getBuiltinModule('node:v8').deserialize(bytes) as readonly (Omit<
    ReadableSpan,
    'spanContext'
  > & {
    readonly context: ReturnType<typeof contextOf>;
  })[];
  return plain.map(({ context, ...span }) => ({
    ...span,
    spanContext: () => withState(context),
    ...(span.parentSpanContext === undefined ? {} : { parentSpanContext: withState(span.parentSpanContext as never) }),
    links: span.links.map((link) => ({ ...link, context: withState(link.context as never) })),
  })) as ReadableSpan[];
}

const withState = ({ state, ...context }: ReturnType<typeof contextOf>): SpanContext =>
  ({ ...context, ...(state === undefined ? {} : { traceState: { serialize: () => state } }) }) as SpanContext;
