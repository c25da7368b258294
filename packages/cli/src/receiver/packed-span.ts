import type { HrTime } from '@hermes-observer/core';
import { type Facts, NO_FACTS } from '../traces/facts.js';
import type { SpanAttributes, SpanSource } from '../traces/span-source.js';
import type { PackedRun } from './packed-run.js';
import { eachAttribute, readFact, readPair } from './protobuf-attributes.js';
import { NO_TIME, type SpanSurroundings } from './received-span.js';
import type { SpanHead } from './span-head.js';
import { WireReader } from './wire-reader.js';

/** Of the spans that were asked last: who asks for one attribute asks for others. */
const lastFacts: { of: PackedSpan | undefined; facts: Facts } = { of: undefined, facts: NO_FACTS };
const lastAttributes: { of: PackedSpan | undefined; attributes: SpanAttributes } = { of: undefined, attributes: {} };

/** What most spans of a request have in common, so that they share one. */
export interface SpanTraits {
  /** As the API counts. */
  readonly kind: number;
  readonly status: SpanSource['status'];
  readonly events: SpanSource['events'];
  readonly links: SpanSource['links'];
  readonly surroundings: SpanSurroundings;
}

/**
 * A span of protobuf that keeps its bytes, and reads its attributes of them when somebody asks. All that is kept is moved
 * twice in memory before it comes to rest: few small objects are half of what makes receiving fast.
 */
export class PackedSpan implements SpanSource {
  readonly name: string;
  readonly #seconds: number;
  readonly #nanos: number;
  readonly #traits: SpanTraits;
  readonly #run: PackedRun;
  /** Its places in the message that the run was of. */
  readonly #from: number;
  readonly #end: number;

  constructor(head: SpanHead, traits: SpanTraits, run: PackedRun, from: number, end: number) {
    this.name = head.name;
    const { 0: seconds, 1: nanos } = head.start ?? NO_TIME;
    this.#seconds = seconds;
    this.#nanos = nanos;
    this.#traits = traits;
    this.#run = run;
    this.#from = from;
    this.#end = end;
    lastFacts.of = this;
    lastFacts.facts = head.facts;
  }

  get startTime(): HrTime {
    return [this.#seconds, this.#nanos];
  }

  get kind(): number {
    return this.#traits.kind;
  }

  get status(): SpanSource['status'] {
    return this.#traits.status;
  }

  get events(): SpanSource['events'] {
    return this.#traits.events;
  }

  get links(): SpanSource['links'] {
    return this.#traits.links;
  }

  get resource(): SpanSource['resource'] {
    return this.#traits.surroundings.resource;
  }

  get instrumentationScope(): SpanSource['instrumentationScope'] {
    return this.#traits.surroundings.scope;
  }

  get attributeBytes(): number {
    return this.#end - this.#from;
  }

  get sharedBytes(): number {
    return this.attributeBytes;
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
    return new WireReader(this.#run.bytes(this.#from, this.#end));
  }
}
