import type { HrTime } from '@hermes-observer/core';
import { type Facts, NO_FACTS } from '../traces/facts.js';
import type { SpanAttributes, SpanSource } from '../traces/span-source.js';
import { eachAttribute, readFact, readPair } from './protobuf-attributes.js';
import { NO_TIME, type SpanSurroundings } from './received-span.js';
import type { SpanHead } from './span-head.js';
import { WireReader } from './wire-reader.js';

/** Of the spans that were asked last: who asks for one attribute asks for others. */
const lastFacts: { of: PackedSpan | undefined; facts: Facts } = { of: undefined, facts: NO_FACTS };
const lastAttributes: { of: PackedSpan | undefined; attributes: SpanAttributes } = { of: undefined, attributes: {} };

/**
 * A span of protobuf that keeps its bytes, and reads its attributes of them when somebody asks. All that is kept is moved
 * twice in memory before it comes to rest: one text in place of objects is half of what makes receiving fast.
 */
export class PackedSpan implements SpanSource {
  readonly name: string;
  readonly kind: number;
  readonly status: SpanSource['status'];
  readonly events: SpanSource['events'];
  readonly links: SpanSource['links'];
  readonly resource: SpanSource['resource'];
  readonly instrumentationScope: SpanSource['instrumentationScope'];
  readonly #seconds: number;
  readonly #nanos: number;
  /** The bytes of its attributes, and of what stands between them, as characters. */
  readonly #packed: string;

  constructor(head: SpanHead, packed: string, { resource, scope }: SpanSurroundings) {
    this.name = head.name;
    this.kind = Math.max(0, head.kind - 1);
    const { 0: seconds, 1: nanos } = head.start ?? NO_TIME;
    this.#seconds = seconds;
    this.#nanos = nanos;
    this.status = head.status;
    this.events = head.events;
    this.links = head.links;
    this.resource = resource;
    this.instrumentationScope = scope;
    this.#packed = packed;
    lastFacts.of = this;
    lastFacts.facts = head.facts;
  }

  get startTime(): HrTime {
    return [this.#seconds, this.#nanos];
  }

  get attributeBytes(): number {
    return this.#packed.length;
  }

  get attributes(): SpanAttributes {
    if (lastAttributes.of === this) return lastAttributes.attributes;
    const attributes: Record<string, unknown> = {};
    const reader = this.#reader();
    eachAttribute(reader, reader.bytes.length, (end) => readPair(reader, end, attributes));
    lastAttributes.of = this;
    lastAttributes.attributes = attributes;
    return attributes;
  }

  get facts(): Facts {
    if (lastFacts.of === this) return lastFacts.facts;
    const facts: Facts = { ...NO_FACTS };
    const reader = this.#reader();
    eachAttribute(reader, reader.bytes.length, (end) => readFact(reader, end, facts));
    lastFacts.of = this;
    lastFacts.facts = facts;
    return facts;
  }

  #reader(): WireReader {
    return new WireReader(Buffer.from(this.#packed, 'latin1'));
  }
}
