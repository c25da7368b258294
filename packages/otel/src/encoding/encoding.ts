import type { InstrumentationScope, ReadableSpan, Resource } from '../sdk/types.js';
import type { GrowingBytes } from './growing-bytes.js';

/** A part of a request: JSON, or a message of protobuf. */
export type Piece = Uint8Array;

/** What stands around the spans of one resource and one scope in a request. Compared by identity. */
export interface Group {
  readonly resource: Resourced;
  readonly scope: Piece;
  /** The schema URL of the scope. */
  readonly schemaUrl: string | undefined;
  /** Bytes that the scope adds to a request, at most. */
  readonly bytes: number;
}

export interface Resourced {
  readonly resource: Piece;
  readonly schemaUrl: string | undefined;
  /** Bytes that the resource adds to a request, at most. */
  readonly bytes: number;
}

/** Where encoded spans are, one behind the other. */
export interface Arena {
  view(start: number, end: number): Uint8Array;
}

/** One span, encoded once: what it takes in any request, whatever stands beside it. */
export interface EncodedSpan {
  readonly arena: Arena;
  /** Where it begins there. */
  readonly start: number;
  /** Bytes that it takes there, and adds to a request, without its group. */
  readonly bytes: number;
  readonly group: Group;
}

/** A form of OTLP. Values that a receiver would refuse, with all that stands beside them, are written as it takes them. */
export interface Encoding {
  readonly name: 'json' | 'protobuf';
  readonly contentType: string;
  /** Where spans are to be encoded. */
  arena(bytes: number): GrowingBytes;
  /** Adds a span, as it stands in a list of spans. @throws TypeError for what is no span; then a part of it is there. */
  span(arena: GrowingBytes, span: ReadableSpan): void;
  resource(resource: Resource): Piece;
  scope(scope: InstrumentationScope): Piece;
  /** Bytes of a request without anything in it, and those that a piece adds, with what it stands in: at most. */
  readonly requestBytes: number;
  resourceBytes(resource: Piece, schemaUrl: string | undefined): number;
  scopeBytes(scope: Piece, schemaUrl: string | undefined): number;
  /** Bytes of a text where it stands as a value. */
  textBytes(text: string): number;
  /** An `ExportTraceServiceRequest`. */
  request(spans: readonly EncodedSpan[]): Uint8Array;
  /** The spans of a request, as they were encoded. @throws for what is no request of this encoding. */
  spansOf(request: Uint8Array): EncodedSpan[];
  /** What messages call an encoded span by. */
  identity(span: Uint8Array): { readonly name: string; readonly traceId: string; readonly spanId: string };
  /** The bones of an encoded span, with nothing left that may have been refused, marked as cut, in a list as it was. */
  bare(span: Uint8Array): Uint8Array;
  /** What a receiver says in the body of a success; `undefined` if it is no `ExportTraceServiceResponse`. */
  partialSuccess(body: Uint8Array): PartialSuccess | undefined;
}

export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

/** Levels of maps and lists in one value; deeper ones are left out. */
export const MOST_LEVELS = 32;

/** The spans of a request, by what stands around them, in the order in which they came. */
export function grouped(spans: readonly EncodedSpan[]): Map<Resourced, Map<Group, EncodedSpan[]>> {
  const resources = new Map<Resourced, Map<Group, EncodedSpan[]>>();
  for (const encoded of spans) {
    const { group } = encoded;
    let groups = resources.get(group.resource);
    if (groups === undefined) {
      groups = new Map();
      resources.set(group.resource, groups);
    }
    const of = groups.get(group);
    if (of === undefined) groups.set(group, [encoded]);
    else of.push(encoded);
  }
  return resources;
}

/** Stretches of bytes that stand for `spans`, as few as there are. */
export function* stretches(spans: readonly EncodedSpan[]): Generator<Uint8Array, void, void> {
  let arena: Arena | undefined;
  let start = 0;
  let end = 0;
  for (const span of spans) {
    if (span.arena !== arena || span.start !== end) {
      if (arena !== undefined) yield arena.view(start, end);
      ({ arena, start } = span);
    }
    end = span.start + span.bytes;
  }
  if (arena !== undefined) yield arena.view(start, end);
}

/** Bytes of a request, at most. */
export function sizeOf(spans: readonly EncodedSpan[], { requestBytes }: Encoding): number {
  let size = requestBytes;
  let last: Group | undefined;
  for (const { group, bytes } of spans) {
    size += bytes;
    // One that comes again after another is counted again, which does no harm.
    if (group !== last) size += group.bytes + group.resource.bytes;
    last = group;
  }
  return size;
}
