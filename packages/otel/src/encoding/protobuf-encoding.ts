import { ATTR_HERMES_EXPORT_CUT } from '../attributes/semconv.js';
import { type EncodedSpan, type Encoding, grouped, type PartialSuccess, sizeOf, stretches } from './encoding.js';
import { type Field, fieldsOf } from './protobuf-reader.js';
import { SPAN, STATUS, writeSpan } from './protobuf-span.js';
import { writeAttributes } from './protobuf-value.js';
import { ProtobufWriter } from './protobuf-writer.js';

const REQUEST_RESOURCE_SPANS = 0x0a;
const RESOURCE_SPANS = { resource: 0x0a, scopeSpans: 0x12, schemaUrl: 0x1a } as const;
const SCOPE_SPANS = { scope: 0x0a, spans: 0x12, schemaUrl: 0x1a } as const;
const RESOURCE = { attributes: 0x0a, dropped: 0x10 } as const;
const SCOPE = { name: 0x0a, version: 0x12 } as const;
/** A tag and a length below 4 GiB. */
const FRAME_BYTES = 6;
const MOST_NAME_BYTES = 256;

const writer = new ProtobufWriter();

function written(write: () => void): Uint8Array {
  writer.reset();
  write();
  return writer.take();
}

/** OTLP as protobuf. */
export const PROTOBUF_ENCODING: Encoding = {
  name: 'protobuf',
  contentType: 'application/x-protobuf',
  arena: (bytes) => new ProtobufWriter(bytes),
  span(arena, span) {
    const out = arena as ProtobufWriter;
    const start = out.begin(SCOPE_SPANS.spans);
    writeSpan(out, span);
    out.end(start);
  },
  resource: ({ attributes }) =>
    written(() => {
      writeAttributes(writer, RESOURCE.attributes, attributes);
      // As the standard serializer has it.
      writer.uint(RESOURCE.dropped, 0);
    }),
  scope: ({ name, version }) =>
    written(() => {
      writer.string(SCOPE.name, name);
      if (version !== undefined) writer.string(SCOPE.version, version);
    }),
  requestBytes: 0,
  resourceBytes: (resource, url) => resource.length + 2 * FRAME_BYTES + urlBytes(url),
  scopeBytes: (scope, url) => scope.length + 2 * FRAME_BYTES + urlBytes(url),
  textBytes: (text) => Buffer.byteLength(text),
  request(spans) {
    writer.reserve(sizeOf(spans, PROTOBUF_ENCODING));
    for (const [{ resource, schemaUrl }, groups] of grouped(spans)) {
      const resourceSpans = writer.begin(REQUEST_RESOURCE_SPANS);
      writer.message(RESOURCE_SPANS.resource, resource);
      for (const [{ scope, schemaUrl: url }, of] of groups) {
        const scopeSpans = writer.begin(RESOURCE_SPANS.scopeSpans);
        writer.message(SCOPE_SPANS.scope, scope);
        for (const stretch of stretches(of)) writer.raw(stretch);
        if (url) writer.string(SCOPE_SPANS.schemaUrl, url);
        writer.end(scopeSpans);
      }
      if (schemaUrl) writer.string(RESOURCE_SPANS.schemaUrl, schemaUrl);
      writer.end(resourceSpans);
    }
    return writer.take();
  },
  spansOf(request) {
    const arena = { view: (start: number, end: number) => request.subarray(start, end) };
    const spans: EncodedSpan[] = [];
    for (const { content: resourceSpans } of fieldsOf(request)) {
      const { first: resource, schemaUrl, others } = partsOf(resourceSpans);
      const resourced = { resource, schemaUrl, bytes: PROTOBUF_ENCODING.resourceBytes(resource, schemaUrl) };
      for (const { content: scopeSpans } of others) {
        const { first: scope, schemaUrl: url, others: of } = partsOf(scopeSpans);
        const bytes = PROTOBUF_ENCODING.scopeBytes(scope, url);
        const group = { resource: resourced, scope, schemaUrl: url, bytes };
        for (const { bytes: span } of of) {
          spans.push({ arena, start: span.byteOffset - request.byteOffset, bytes: span.length, group });
        }
      }
    }
    return spans;
  },
  identity(span) {
    const [whole] = fieldsOf(span);
    const fields = new Map([...fieldsOf((whole as Field).content)].map(({ number, content }) => [number, content]));
    const of = (tag: number) => Buffer.from(fields.get(tag >> 3) ?? []);
    return {
      name: of(SPAN.name).toString(),
      traceId: of(SPAN.traceId).toString('hex'),
      spanId: of(SPAN.spanId).toString('hex'),
    };
  },
  bare: (span) =>
    written(() => {
      const [whole] = fieldsOf(span);
      const dropped = { attributes: 0, events: 0, links: 0 };
      const start = writer.begin(SCOPE_SPANS.spans);
      for (const { number, bytes, content, value } of fieldsOf((whole as Field).content)) {
        if (number === SPAN.name >> 3)
          writer.string(SPAN.name, Buffer.from(content).toString().slice(0, MOST_NAME_BYTES));
        else if (number === SPAN.attributes >> 3) dropped.attributes++;
        else if (number === SPAN.events >> 3) dropped.events++;
        else if (number === SPAN.links >> 3) dropped.links++;
        else if (number === SPAN.droppedAttributes >> 3) dropped.attributes += value;
        else if (number === SPAN.droppedEvents >> 3) dropped.events += value;
        else if (number === SPAN.droppedLinks >> 3) dropped.links += value;
        else if (number === SPAN.status >> 3) writeBareStatus(content);
        else writer.raw(bytes);
      }
      writeAttributes(writer, SPAN.attributes, { [ATTR_HERMES_EXPORT_CUT]: true });
      writer.uint(SPAN.droppedAttributes, dropped.attributes);
      writer.uint(SPAN.droppedEvents, dropped.events);
      writer.uint(SPAN.droppedLinks, dropped.links);
      writer.end(start);
    }),
  partialSuccess(body): PartialSuccess | undefined {
    try {
      let rejected = 0;
      let message = '';
      for (const { number, content } of fieldsOf(body)) {
        if (number !== 1) continue;
        for (const field of fieldsOf(content)) {
          if (field.number === 1) rejected = field.value;
          else if (field.number === 2) message = Buffer.from(field.content).toString();
        }
      }
      return { rejected, message };
    } catch {
      return undefined;
    }
  },
};

/** Of a `ResourceSpans` or a `ScopeSpans`: fields 1, 2 and 3 are what all share, the list, and a schema URL. */
function partsOf(message: Uint8Array): { first: Uint8Array; others: Field[]; schemaUrl: string | undefined } {
  let first: Uint8Array = new Uint8Array(0);
  let schemaUrl: string | undefined;
  const others: Field[] = [];
  for (const field of fieldsOf(message)) {
    if (field.number === 1) first = field.content;
    else if (field.number === 2) others.push(field);
    else if (field.number === 3) schemaUrl = Buffer.from(field.content).toString();
  }
  return { first, others, schemaUrl };
}

const urlBytes = (url: string | undefined) => (url ? Buffer.byteLength(url) + FRAME_BYTES : 0);

function writeBareStatus(status: Uint8Array): void {
  const start = writer.begin(SPAN.status);
  for (const { number, bytes } of fieldsOf(status)) if (number === STATUS.code >> 3) writer.raw(bytes);
  writer.end(start);
}
