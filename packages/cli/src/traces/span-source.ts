import type { HrTime } from '@hermes-observer/core';
import type { Facts } from './facts.js';

/** Attributes of an unknown source, so of any type. */
export type SpanAttributes = Readonly<Record<string, unknown>>;

export interface SourceEvent {
  readonly name: string;
  readonly time: HrTime;
  readonly attributes?: SpanAttributes;
}

export interface SourceLink {
  readonly context: { readonly traceId: string; readonly spanId: string };
  readonly attributes?: SpanAttributes;
}

export interface SourceResource {
  readonly attributes: SpanAttributes;
}

/**
 * What a span says, as the SDK's `ReadableSpan` has it: spans of our own provider are kept as they are, since a copy would
 * cost more than all the rest. It may still change while the span is open.
 */
export interface SpanSource {
  readonly name: string;
  /** As the API counts: 0 internal, 1 server, 2 client, 3 producer, 4 consumer. */
  readonly kind: number;
  /** `[0, 0]` where the source gave none. */
  readonly startTime: HrTime;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: SpanAttributes;
  readonly events: readonly SourceEvent[];
  readonly links: readonly SourceLink[];
  readonly resource: SourceResource;
  readonly instrumentationScope: { readonly name: string; readonly version?: string };
  readonly droppedAttributesCount?: number;
  /** What its attributes take in memory, as estimated; absent where that is still to be found out. */
  readonly attributeBytes?: number;
  /** So many of them are in memory until the whole trace goes, also when another span has taken the place of this one. */
  readonly sharedBytes?: number;
  /** Those of the attributes that are asked for of every span, where all of them would be dear. */
  readonly facts?: Facts;
}

/** A span that is kept packed reads only these, where it would be dear to unpack the rest. */
export const factsOf = (source: Pick<SpanSource, 'attributes' | 'facts'>): Facts => source.facts ?? source.attributes;

/** A span on its way into the store. */
export interface SpanInput {
  /** 32 hex digits, lower case, for a source that has them right; else what there was. */
  readonly traceId: string;
  /** Lower case. */
  readonly spanId: string;
  /** `''` for none. */
  readonly parentId: string;
  /** `undefined` while it runs. */
  readonly end: HrTime | undefined;
  readonly source: SpanSource;
  /** Some of its fields were none, and were left out. */
  readonly isBroken?: boolean;
}

type Some<Name extends string> = { readonly [Key in Name]?: unknown };

/** The attribute if it is a string that is not empty. */
export function textOf<Name extends string>(attributes: Some<Name>, name: Name): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The attribute if it is a finite number. */
export function numberOf<Name extends string>(attributes: Some<Name>, name: Name): number | undefined {
  const value = attributes[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
