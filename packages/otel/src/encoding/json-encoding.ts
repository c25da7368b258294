import { ATTR_HERMES_EXPORT_CUT } from '../attributes/semconv.js';
import {
  type EncodedSpan,
  type Encoding,
  type Group,
  grouped,
  type PartialSuccess,
  type Piece,
  type Resourced,
  sizeOf,
  stretches,
} from './encoding.js';
import { jsonSize } from './json-size.js';
import { writeJsonSpan } from './json-span.js';
import { writeJsonAttributes } from './json-value.js';
import { JsonWriter } from './json-writer.js';

/**
 * What stands around the pieces. Each has a comma before it but the first of its list, so what holds a list has one less.
 */
const COMMA = 1;
const REQUEST_BYTES = '{"resourceSpans":[]}'.length - COMMA;
const RESOURCE_BYTES = '{"resource":,"scopeSpans":[]}'.length;
const SCOPE_BYTES = '{"scope":,"spans":[]}'.length;
const urlBytes = (url: string | undefined) => Buffer.byteLength(urlText(url));
const ascii = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const OPEN_REQUEST = ascii('{"resourceSpans":[');
const OPEN_RESOURCE = ascii('{"resource":');
const OPEN_SCOPES = ascii(',"scopeSpans":[');
const OPEN_SCOPE = ascii('{"scope":');
const OPEN_SPANS = ascii(',"spans":[');
const CLOSE_LIST = ascii(']');
const CLOSE_OBJECT = ascii('}');
const CLOSE_REQUEST = ascii(']}');
const OPEN_ATTRIBUTES = ascii('{"attributes":');
const DROPPED = ascii(',"droppedAttributesCount":0');
const COMMA_CODE = 0x2c;

const writer = new JsonWriter();

function written(write: () => void): Uint8Array {
  writer.reset();
  write();
  return writer.take();
}

/** Writes a comma before each but the first. */
function listed<T>(items: Iterable<T>, write: (item: T) => void): void {
  let isFirst = true;
  for (const item of items) {
    if (!isFirst) writer.byte(COMMA_CODE);
    isFirst = false;
    write(item);
  }
}

/** OTLP/JSON: what `JSON.parse` reads is what the standard serializer writes. */
export const JSON_ENCODING: Encoding = {
  name: 'json',
  contentType: 'application/json',
  arena: (bytes) => new JsonWriter(bytes),
  span(arena, span) {
    (arena as JsonWriter).byte(COMMA_CODE);
    writeJsonSpan(arena as JsonWriter, span);
  },
  resource: ({ attributes, schemaUrl }) =>
    written(() => {
      writer.piece(OPEN_ATTRIBUTES);
      writeJsonAttributes(writer, attributes);
      writer.piece(DROPPED);
      writer.raw(Buffer.from(`${urlText(schemaUrl)}}`));
    }),
  scope: ({ name, version }) => Uint8Array.from(Buffer.from(JSON.stringify({ name, version }))),
  requestBytes: REQUEST_BYTES,
  resourceBytes: (resource, url) => resource.length + RESOURCE_BYTES + urlBytes(url),
  scopeBytes: (scope, url) => scope.length + SCOPE_BYTES + urlBytes(url),
  textBytes: jsonSize,
  request(spans) {
    writer.reserve(sizeOf(spans, JSON_ENCODING));
    writer.piece(OPEN_REQUEST);
    listed(grouped(spans), ([{ resource, schemaUrl }, groups]) => {
      writer.piece(OPEN_RESOURCE);
      writer.raw(resource);
      writer.piece(OPEN_SCOPES);
      listed(groups, ([{ scope, schemaUrl: url }, of]) => {
        writer.piece(OPEN_SCOPE);
        writer.raw(scope);
        writer.piece(OPEN_SPANS);
        let commas = COMMA;
        for (const stretch of stretches(of)) {
          writer.raw(stretch.subarray(commas));
          commas = 0;
        }
        closeWith(url);
      });
      closeWith(schemaUrl);
    });
    writer.piece(CLOSE_REQUEST);
    return writer.take();
  },
  spansOf(request) {
    const all = new JsonWriter();
    const spans: EncodedSpan[] = [];
    const { resourceSpans = [] } = JSON.parse(textOf(request)) as RequestJson;
    for (const { resource, scopeSpans = [], schemaUrl } of resourceSpans) {
      const resourced = resourcedOf(resource, schemaUrl);
      for (const { scope, spans: of = [], schemaUrl: url } of scopeSpans) {
        const group = groupOf(resourced, scope, url);
        for (const span of of) {
          const start = all.size;
          all.raw(Buffer.from(`,${JSON.stringify(span)}`));
          spans.push({ arena: all, start, bytes: all.size - start, group });
        }
      }
    }
    return spans;
  },
  identity: (span) => JSON.parse(textOf(span.subarray(COMMA))),
  bare(span) {
    const {
      events,
      links,
      attributes,
      droppedAttributesCount,
      droppedEventsCount,
      droppedLinksCount,
      status,
      ...bones
    } = JSON.parse(textOf(span.subarray(COMMA)));
    const bare = JSON.stringify({
      ...bones,
      name: bones.name.slice(0, 256),
      attributes: [{ key: ATTR_HERMES_EXPORT_CUT, value: { boolValue: true } }],
      droppedAttributesCount: droppedAttributesCount + attributes.length,
      droppedEventsCount: droppedEventsCount + events.length,
      status: { code: status.code },
      droppedLinksCount: droppedLinksCount + links.length,
    });
    return Uint8Array.from(Buffer.from(`,${bare}`));
  },
  partialSuccess(body): PartialSuccess | undefined {
    if (body.length === 0) return { rejected: 0, message: '' };
    const response = parsed(body);
    if (response === undefined) return undefined;
    const partial = (response.partialSuccess ?? {}) as { rejectedSpans?: unknown; errorMessage?: unknown };
    const message = typeof partial.errorMessage === 'string' ? partial.errorMessage : '';
    return { rejected: Math.max(Number(partial.rejectedSpans ?? 0) || 0, 0), message };
  },
};

interface RequestJson {
  readonly resourceSpans?: readonly {
    readonly resource?: unknown;
    readonly schemaUrl?: string;
    readonly scopeSpans?: readonly {
      readonly scope?: unknown;
      readonly schemaUrl?: string;
      readonly spans?: readonly unknown[];
    }[];
  }[];
}

const pieceOf = (value: unknown): Piece => Uint8Array.from(Buffer.from(JSON.stringify(value ?? {})));

function resourcedOf(value: unknown, schemaUrl: string | undefined): Resourced {
  const resource = pieceOf(value);
  return { resource, schemaUrl, bytes: JSON_ENCODING.resourceBytes(resource, schemaUrl) };
}

function groupOf(resource: Resourced, value: unknown, schemaUrl: string | undefined): Group {
  const scope = pieceOf(value);
  return { resource, scope, schemaUrl, bytes: JSON_ENCODING.scopeBytes(scope, schemaUrl) };
}

/** The end of a list, and of the object that it stands in. */
function closeWith(schemaUrl: string | undefined): void {
  writer.piece(CLOSE_LIST);
  if (schemaUrl) writer.raw(Buffer.from(urlText(schemaUrl)));
  writer.piece(CLOSE_OBJECT);
}

const urlText = (url: string | undefined) => (url ? `,"schemaUrl":${JSON.stringify(url)}` : '');
const textOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();

function parsed(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(textOf(body));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
