import type { Attributes, AttributeValue, SpanStatus } from '@opentelemetry/api';
import type { SourceSpan } from '../source/source-span.js';
import type { SpanRole } from '../source/span-role.js';

/** One attribute that a profile puts on spans. */
export interface MappingRow {
  readonly name: string;
  /** As the page says it: `string`, `int`, `JSON string`. */
  readonly type: string;
  /** Spans it stands on. */
  readonly on: readonly SpanRole[];
  /** What it is made of, in one sentence or less. */
  readonly from: string;
  /** `undefined` for a span that has nothing of it. */
  readonly value: (source: SourceSpan) => AttributeValue | undefined;
  /** Attributes that it carries whole, so that the span need not have them twice. */
  readonly moves?: readonly string[];
}

/** A name and a value of a list that is written flat. */
export type Entry = readonly [name: string, value: AttributeValue];

/** A list that takes an attribute for each field of each element, and may be cut down. */
export interface FlatList {
  /** How many attributes all of it takes. */
  readonly size: number;
  /** The most important of it that takes no more than `room` attributes. */
  fit(room: number): readonly Entry[];
}

/** Names of attributes that some other end knows, as a table of what they are made of. */
export interface Profile {
  readonly name: string;
  /** The most important first: where a span may have no more attributes, the last ones are left out. */
  readonly rows: readonly MappingRow[];
  /** Takes what room the rows of all profiles leave. */
  readonly list?: (source: SourceSpan) => FlatList | undefined;
  /** Rows of the page for what `list` makes. */
  readonly listRows?: readonly Pick<MappingRow, 'name' | 'type' | 'on' | 'from'>[];
  /** All attributes stay but those that its own rows move, whatever other profiles say. */
  readonly keepsAll?: boolean;
  /** Another status than the span has. */
  readonly status?: (source: SourceSpan) => SpanStatus | undefined;
  /** Further attributes of the resource. */
  readonly resource?: Attributes;
  /** Of the scope of spans whose own names it changes. */
  readonly schemaUrl?: string;
}
