import type { HrTime } from '@hermes-observer/core';
import type { SourceEvent, SourceLink, SpanInput, SpanSource } from '../traces/span-source.js';
import { PackedRun } from './packed-run.js';
import { PackedSpan, type SpanTraits } from './packed-span.js';
import { readFact, readPair, SPAN_ATTRIBUTE } from './protobuf-attributes.js';
import { idsOf, NO_STATUS, NO_TIME, type SpanSurroundings } from './received-span.js';
import { SpanHead } from './span-head.js';
import { HexText, type WireReader } from './wire-reader.js';

/** Tags of trace/v1/trace.proto: field numbers with their wire types. */
const TAG = {
  traceId: 0x0a,
  spanId: 0x12,
  parentId: 0x22,
  name: 0x2a,
  kind: 0x30,
  start: 0x39,
  end: 0x41,
  events: 0x5a,
  links: 0x6a,
  status: 0x7a,
} as const;
const FIRST = 0x0a;
const SECOND = 0x12;

/** Kinds of OTLP. */
const KINDS = 6;

/** Reads the spans of a request, one after the other. They keep its bytes in place of attributes, once it is closed. */
export class SpanReader {
  readonly #reader: WireReader;
  readonly #traceId = new HexText();
  readonly #spanId = new HexText();
  readonly #parentId = new HexText();
  /** Spans of one trace that stand one behind the other. */
  #run: PackedRun | undefined;
  /** By kind, of spans in the same surroundings that have nothing further. */
  #plain: (SpanTraits | undefined)[] = new Array(KINDS).fill(undefined);

  constructor(reader: WireReader) {
    this.#reader = reader;
  }

  /**
   * @param from where its field begins, with the tag
   * @param end of it; the reader is behind its length
   * @returns `undefined` for one that names no trace
   */
  read(from: number, end: number, surroundings: SpanSurroundings): SpanInput | undefined {
    const head = new SpanHead();
    const reader = this.#reader;
    const at = reader.at;
    try {
      while (reader.at < end) this.#readField(reader.varint(), end, head);
    } catch {
      head.isBroken = true;
    }
    // The next one stands where it does, whatever was in this one.
    reader.at = end;
    const ids = idsOf(head);
    if (ids === undefined) return undefined;
    const { traceId, spanId, parentId, isChanged } = ids;
    return {
      traceId,
      spanId,
      parentId,
      end: head.end,
      isBroken: head.isBroken || head.start === undefined || isChanged,
      source: new PackedSpan(head, this.#traitsOf(head, surroundings), this.#runOf(traceId, from, end), at, end),
    };
  }

  /** Takes out of the message what is kept of it. */
  close(): void {
    this.#run?.close();
    this.#run = undefined;
  }

  #runOf(traceId: string, from: number, end: number): PackedRun {
    let run = this.#run;
    if (run !== undefined && run.end === from && run.traceId === traceId) run.end = end;
    else {
      this.close();
      run = this.#run = new PackedRun(this.#reader.bytes, traceId, from, end);
    }
    return run;
  }

  #traitsOf({ kind: number, status, events, links }: SpanHead, surroundings: SpanSurroundings): SpanTraits {
    const kind = Math.max(0, number - 1);
    const isPlain = status === NO_STATUS && events.length === 0 && links.length === 0;
    const known = isPlain ? this.#plain[kind] : undefined;
    if (known?.surroundings === surroundings) return known;
    const traits = { kind, status, events, links, surroundings };
    if (isPlain && kind < KINDS) this.#plain[kind] = traits;
    return traits;
  }

  #readField(tag: number, end: number, head: SpanHead): void {
    const reader = this.#reader;
    switch (tag) {
      case SPAN_ATTRIBUTE:
        readFact(reader, reader.length(end), head.facts);
        break;
      case TAG.traceId:
        head.traceId = reader.hex(end, this.#traceId);
        break;
      case TAG.spanId:
        head.spanId = reader.hex(end, this.#spanId);
        break;
      case TAG.parentId:
        head.parentId = reader.hex(end, this.#parentId);
        break;
      case TAG.name:
        head.name = reader.key(end);
        break;
      case TAG.kind:
        head.kind = reader.varint();
        break;
      case TAG.start:
        head.start = orNone(reader.time(end));
        break;
      case TAG.end:
        head.end = orNone(reader.time(end));
        break;
      case TAG.events:
        if (head.events.length === 0) head.events = [];
        head.events.push(eventIn(reader, reader.length(end)));
        break;
      case TAG.links:
        if (head.links.length === 0) head.links = [];
        head.links.push(linkIn(reader, reader.length(end)));
        break;
      case TAG.status:
        head.status = statusIn(reader, reader.length(end));
        break;
      default:
        reader.skip(tag, end);
    }
  }
}

/** OTLP has 0 for no time. */
const orNone = (time: HrTime): HrTime | undefined => (time[0] === 0 && time[1] === 0 ? undefined : time);

function eventIn(reader: WireReader, end: number): SourceEvent {
  let time = NO_TIME;
  let name = '';
  const attributes: Record<string, unknown> = {};
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === 0x09) time = reader.time(end);
    else if (tag === SECOND) name = reader.key(end);
    else if (tag === 0x1a) readPair(reader, reader.length(end), attributes);
    else reader.skip(tag, end);
  }
  return { name, time, attributes };
}

function linkIn(reader: WireReader, end: number): SourceLink {
  const context = { traceId: '', spanId: '' };
  const attributes: Record<string, unknown> = {};
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === FIRST) context.traceId = reader.hex(end, new HexText());
    else if (tag === SECOND) context.spanId = reader.hex(end, new HexText());
    else if (tag === 0x22) readPair(reader, reader.length(end), attributes);
    else reader.skip(tag, end);
  }
  return { context, attributes };
}

function statusIn(reader: WireReader, end: number): SpanSource['status'] {
  let code = 0;
  let message = '';
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === SECOND) message = reader.text(end);
    else if (tag === 0x18) code = reader.varint();
    else reader.skip(tag, end);
  }
  if (message !== '') return { code, message };
  return code === 0 ? NO_STATUS : { code };
}
