import type { SpanSource } from '../traces/span-source.js';
import type { SpansOfRequest } from './otlp-json.js';
import { attributesIn } from './protobuf-attributes.js';
import { SpanReader } from './protobuf-span.js';
import type { SpanSurroundings } from './received-span.js';
import { WireReader } from './wire-reader.js';

/** Tags of trace/v1/trace.proto and common/v1/common.proto: field numbers with their wire types. */
const FIRST = 0x0a;
const SECOND = 0x12;

/**
 * Spans of an `ExportTraceServiceRequest`. Of a span that breaks off, what came before is kept.
 * @throws RangeError where what is around the spans is no message: nothing more can be found behind it.
 */
export function* spansOfProtobuf(body: Buffer): SpansOfRequest {
  const reader = new WireReader(body, true);
  const spans = new SpanReader(reader);
  const whole = body.length;
  try {
    while (reader.at < whole) {
      if (!isField(reader, FIRST, whole)) continue;
      const resourceEnd = reader.length(whole);
      const resource = resourceIn(reader, resourceEnd);
      while (reader.at < resourceEnd) {
        if (!isField(reader, SECOND, resourceEnd)) continue;
        const scopeEnd = reader.length(resourceEnd);
        const surroundings: SpanSurroundings = { resource, scope: scopeIn(reader, scopeEnd) };
        while (reader.at < scopeEnd) {
          const from = reader.at;
          if (isField(reader, SECOND, scopeEnd)) yield spans.read(from, reader.length(scopeEnd), surroundings);
        }
      }
    }
  } finally {
    spans.close();
  }
}

/** Whether the next field is of this tag; another one is passed over. */
function isField(reader: WireReader, tag: number, end: number): boolean {
  const next = reader.varint();
  if (next !== tag) reader.skip(next, end);
  return next === tag;
}

/** What spans stand in may come behind them, though nobody sends it so: it is looked for first. */
function resourceIn(reader: WireReader, end: number): SpanSource['resource'] {
  const from = reader.at;
  let resource: SpanSource['resource'] | undefined;
  while (reader.at < end && resource === undefined) {
    if (isField(reader, FIRST, end)) resource = { attributes: attributesIn(reader, reader.length(end), FIRST) };
  }
  reader.at = from;
  return resource ?? { attributes: {} };
}

function scopeIn(reader: WireReader, end: number): SpanSource['instrumentationScope'] {
  const from = reader.at;
  let scope: SpanSource['instrumentationScope'] | undefined;
  while (reader.at < end && scope === undefined) {
    if (isField(reader, FIRST, end)) scope = nameAndVersion(reader, reader.length(end));
  }
  reader.at = from;
  return scope ?? { name: '' };
}

function nameAndVersion(reader: WireReader, end: number): SpanSource['instrumentationScope'] {
  let name = '';
  let version: string | undefined;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === FIRST) name = reader.text(end);
    else if (tag === SECOND) version = reader.text(end);
    else reader.skip(tag, end);
  }
  return version === undefined ? { name } : { name, version };
}
